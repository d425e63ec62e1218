/**
 * An ECDSA signature on P-256 as JOSE wants it: r and s, 32 bytes each (RFC 7518 section 3.4). OpenSSL gives DER, and
 * Node's own conversion costs as much as the signature.
 */
export function joinedSignature(der: Buffer): Buffer {
  const joined = Buffer.alloc(64)
  // SEQUENCE { INTEGER r, INTEGER s }: short lengths throughout, each integer with a zero before a high first bit.
  let at = 2
  for (const end of [32, 64]) {
    const length = der[at + 1]!
    const integer = der.subarray(at + 2, at + 2 + length)
    const digits = length > 32 ? integer.subarray(length - 32) : integer
    digits.copy(joined, end - digits.length)
    at += 2 + length
  }
  return joined
}
