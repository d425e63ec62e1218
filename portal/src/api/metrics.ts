import { useQuery } from '@tanstack/react-query'
import { useApi } from './api.tsx'
import { firstData, takeArrived, takeFirstRead } from './first-reads.ts'
import { ApiError } from './http.ts'

export interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** The lines Prometheus reads: `name{label="value"} 1.5`. */
export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line)
    if (!match) return []
    const labels = [...(match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [
      name!,
      value!,
    ])
    return [{ name: match[1]!, labels: Object.fromEntries(labels), value: Number(match[3]) }]
  })
}

export interface Reading {
  at: number
  samples: Sample[]
}

/** The metrics of this server's processes, read every few seconds; the last few minutes are kept for the chart. */
export function useMetrics() {
  const { name, headers } = useApi()
  return useQuery<Reading[], ApiError>({
    queryKey: [name, 'metrics'],
    queryFn: async ({ signal, client, queryKey }) => {
      const response = await (takeFirstRead('/metrics', headers) ?? fetch('/metrics', { headers, signal }))
      if (!response.ok)
        throw new ApiError(response.status, { error: 'Metrics are served on a separate port here.' }, null)
      const before = client.getQueryData<Reading[]>(queryKey) ?? []
      return [...before, { at: Date.now() / 1000, samples: readSamples(await response.text()) }].slice(-60)
    },
    ...firstData(
      () => takeArrived('/metrics', headers),
      ({ at, text }) => [{ at: at / 1000, samples: readSamples(text) }],
    ),
    refetchInterval: 3_000,
    retry: false,
  })
}
