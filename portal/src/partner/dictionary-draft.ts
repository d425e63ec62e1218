import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../api/api.tsx'
import { versionOf } from '../api/calls.ts'
import type { ApiError } from '../api/http.ts'
import { notifyDone } from '../api/notify.tsx'
import { pathOf } from '../api/operations.ts'
import type { DataDictionary, DictionaryEntry } from '../api/partner.ts'

/** A dictionary and the version it is, or is based on. */
interface Version {
  entries: DictionaryEntry[]
  etag: string | undefined
}

/** Not only in the component: a draft survives another tab or page of the portal. */
const drafts = new Map<string, Version>()

/** The saved dictionary of a model, and what is changed before it is saved as a whole. */
export function useDictionaryDraft(modelId: string) {
  const api = useApi()
  const client = useQueryClient()
  const path = pathOf('GET /core/v1/partner/models/{id}/dictionary', { id: modelId })
  const savedKey = [api.name, path, 'version']
  const saved = useQuery<Version, ApiError>({
    queryKey: savedKey,
    queryFn: async ({ signal }) =>
      versionIn(await api.read('GET /core/v1/partner/models/{id}/dictionary', { id: modelId }, signal)),
  })
  const name = api.name + path
  const [draft, showDraft] = useState(() => drafts.get(name) ?? null)
  const setDraft = (next: Version | null) => {
    if (next) drafts.set(name, next)
    else drafts.delete(name)
    showDraft(next)
  }
  useWarnBeforeUnload(draft !== null)

  const put = useMutation<DataDictionary, ApiError, Version & { undoes?: Version }>({
    mutationFn: ({ entries, etag }) =>
      api.send('PUT /core/v1/partner/models/{id}/dictionary', { id: modelId, body: { data_points: entries }, etag }),
    onSuccess: (result, { undoes }) => {
      const before = undoes ? undefined : saved.data
      const after = versionIn(result)
      client.setQueryData(savedKey, after)
      setDraft(null)
      notifyDone(
        undoes ? 'Undone.' : 'Data dictionary saved.',
        before && (() => put.mutate({ entries: before.entries, etag: after.etag, undoes: after })),
      )
    },
    // What someone else saved is shown beside the draft, which stays.
    onSettled: () => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === path }),
  })
  return {
    saved,
    entries: draft?.entries ?? saved.data?.entries ?? [],
    isChanged: draft !== null,
    /** Someone else saved another version since the first change of the draft. */
    isOutdated: draft !== null && saved.data !== undefined && draft.etag !== saved.data.etag,
    change: (entries: DictionaryEntry[]) => {
      put.reset()
      setDraft({ entries, etag: draft ? draft.etag : saved.data?.etag })
    },
    discard: () => {
      put.reset()
      setDraft(null)
    },
    save: () => draft && put.mutate(draft),
    /** Replaces what someone else saved meanwhile. */
    overwrite: () => draft && put.mutate({ entries: draft.entries, etag: saved.data?.etag }),
    replace: (entries: DictionaryEntry[]) => put.mutateAsync({ entries, etag: saved.data?.etag }),
    isSaving: put.isPending,
    error: put.error,
  }
}

export type DictionaryDraft = ReturnType<typeof useDictionaryDraft>

function versionIn(body: DataDictionary): Version {
  return { entries: body.data_points, etag: versionOf(body) }
}

function useWarnBeforeUnload(active: boolean): void {
  useEffect(() => {
    if (!active) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [active])
}
