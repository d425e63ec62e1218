/** `1,560 devices` */
export function amount(count: number, unit: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? unit : `${unit}s`}`
}
