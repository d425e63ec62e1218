import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readQuery, useApi } from '../../api/api.tsx'
import { type Dictionary, toDictionary } from './data-points.ts'

/** The dictionary of a device's model; undefined while it is loading, and empty where it cannot be read. */
export function useDictionary(modelId: string): Dictionary | undefined {
  return useDictionaries([modelId]).get(modelId)
}

/** Those of several models, by model, as far as they are loaded. */
export function useDictionaries(modelIds: readonly string[]): ReadonlyMap<string, Dictionary> {
  const api = useApi('organization', 'partner')
  const loaded = useQueries({
    queries: modelIds.map((id) => readQuery(api, `GET /core/v1/${api.kind}/models/{id}/dictionary`, { id })),
    combine: (reads) =>
      reads.flatMap(({ data, isError }, index) => {
        const entries = data?.data_points ?? (isError ? [] : undefined)
        return entries ? [{ id: modelIds[index]!, entries }] : []
      }),
  })
  return useMemo(() => new Map(loaded.map(({ id, entries }) => [id, toDictionary(entries)])), [loaded])
}
