/** Told apart also by people who see fewer colours (after Okabe and Ito), and legible on white and on black. */
const colors = ['#0072b2', '#c2570c', '#00825e', '#b0578a', '#8a6d00', '#2f8fc4']

export function seriesColor(index: number): string {
  return colors[index % colors.length]!
}
