/** `Acme_devices_2026-03-01.csv`: only letters, digits and dashes, so that no system and no shell reads more into it. */
export function fileName(parts: string[], extension: string): string {
  const safe = parts.map((part) =>
    part
      .normalize('NFC')
      .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
      .replaceAll(/^-|-$/g, ''),
  )
  return `${safe
    .filter(Boolean)
    .map((part) => [...part].slice(0, 60).join(''))
    .join('_')}.${extension}`
}

/** RFC 6266: the name in ASCII for old clients, and as it is (RFC 8187). */
export function asAttachment(name: string): string {
  const ascii = name.normalize('NFKD').replaceAll(/[^\x20-\x7e]+/g, '')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeURIComponent(name)}`
}
