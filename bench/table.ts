/** One line of the table that `npm run bench` prints. */
export interface Row {
  what: string
  ours: string
  peer: string
  ratio: number | null
  bar: number | null
  spread: string
}
