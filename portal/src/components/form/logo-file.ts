import type { Logo } from '../../api/partner.ts'

const maxBytes = 128 * 1024

export const logoTypes = 'image/png,image/jpeg,image/webp'

/** As the service takes it. */
export async function readLogoFile(file: File): Promise<Logo> {
  if (file.size > maxBytes) throw new Error('The logo can be at most 128 KiB.')
  const bytes = new Uint8Array(await file.arrayBuffer())
  return {
    type: file.type as Logo['type'],
    data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
  }
}
