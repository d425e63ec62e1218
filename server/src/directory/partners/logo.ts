import { createHash } from 'node:crypto'
import { partLimits } from '../../platform/own-limits.ts'
import { invalid } from '../../platform/refusal.ts'

/** No SVG: opened on its own it is a document that can run script. */
export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
type LogoType = (typeof logoTypes)[number]

/** Base64, as in the body of a request. */
export interface SentLogo {
  type: LogoType
  data: string
}

export function readLogo({ type, data }: SentLogo): Buffer {
  const logo = Buffer.from(data, 'base64')
  if (logo.length > partLimits.logoBytes) throw invalid({ field: 'logo.data', message: 'must be 128 KiB or less' })
  if (typeOf(logo) !== type)
    throw invalid({ field: 'logo.data', message: `must be an image of type ${type} in base64` })
  return logo
}

/** By the first bytes, since this type is sent to browsers. */
function typeOf(picture: Buffer): LogoType | null {
  if (picture.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'image/png'
  if (picture.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return 'image/jpeg'
  const isWebp = picture.toString('latin1', 0, 4) === 'RIFF' && picture.toString('latin1', 8, 12) === 'WEBP'
  return isWebp ? 'image/webp' : null
}

export interface StoredLogo {
  logo: Buffer
  logo_type: string
  logo_version: string
}

/** With a version of its own, so that browsers may keep a logo and still show a new one at once. */
export function withVersion(sent: SentLogo): StoredLogo {
  const logo = readLogo(sent)
  const logo_version = createHash('sha256').update(logo).digest('hex').slice(0, 12)
  return { logo, logo_type: sent.type, logo_version }
}

/** Where browsers load the logo of an application. */
export function applicationLogoPath(clientId: string, version: string | null): string | null {
  return version === null ? null : `/pages/applications/${clientId}/logo?v=${version}`
}
