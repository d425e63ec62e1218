import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.tsx'
import type { DataDictionary } from '../../api/generated.ts'
import { type Dictionary, toDictionary } from './data-points.ts'

/** The dictionary of a device's model; undefined while it is loading, and empty where it cannot be read. */
export function useDictionary(modelId: string): Dictionary | undefined {
  return useDictionaries([modelId]).get(modelId)
}

/** Those of several models, by model, as far as they are loaded. */
export function useDictionaries(modelIds: readonly string[]): ReadonlyMap<string, Dictionary> {
  const api = useApi()
  const loaded = useQueries({
    queries: modelIds.map((id) => ({
      // The same as that of `useRead`, so that the page where it is edited and this one share what was read.
      queryKey: [api.name, `/models/${id}/dictionary`, {}],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.get<DataDictionary>(`/models/${id}/dictionary`, {}, signal),
    })),
    combine: (reads) =>
      reads.flatMap(({ data, isError }, index) => {
        const entries = data?.data_points ?? (isError ? [] : undefined)
        return entries ? [{ id: modelIds[index]!, entries }] : []
      }),
  })
  return useMemo(() => new Map(loaded.map(({ id, entries }) => [id, toDictionary(entries)])), [loaded])
}
