export interface Row {
  what: string
  ours: string
  peer: string
  ratio: number | null
  bar: number | null
  spread: string
}
