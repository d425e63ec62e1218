import { readFile, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type Server } from 'node:tls'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { listenerTls } from './listener-tls.ts'
import type { TlsMaterial } from './self-signed-certificate.ts'

const read = promisify(readFile)

export interface TlsFiles {
  certificateFile: string
  keyFile: string
}

/** Fails when the two do not belong together, which TLS itself would only report at the first handshake. */
export async function readTlsFiles({ certificateFile, keyFile }: TlsFiles): Promise<TlsMaterial> {
  const [certificate, privateKey] = await Promise.all([read(certificateFile, 'utf8'), read(keyFile, 'utf8')])
  const material = { certificate, privateKey }
  createSecureContext(listenerTls(material))
  return material
}

/**
 * Reloads the pair when either file changes; open connections keep theirs. The files are polled, since a watcher loses
 * a file that a renewal replaces by renaming or re-linking.
 */
export function reloadOnChange(
  server: Server,
  files: TlsFiles,
  log: Logger,
  onReload: (material: TlsMaterial) => void,
  everyMilliseconds = 2_000,
): () => void {
  const reload = async () => {
    try {
      const material = await readTlsFiles(files)
      server.setSecureContext(listenerTls(material))
      onReload(material)
      log.info({ file: files.certificateFile }, 'TLS certificate reloaded')
    } catch (error) {
      // Half a renewal: the other file is about to change too. Until they match, the old pair stays.
      log.warn({ err: error, file: files.certificateFile }, 'TLS certificate not reloaded, the previous one stays')
    }
  }
  const changed = () => void reload()
  const paths = [files.certificateFile, files.keyFile]
  for (const path of paths) watchFile(path, { interval: everyMilliseconds, persistent: false }, changed)
  return () => {
    for (const path of paths) unwatchFile(path, changed)
  }
}
