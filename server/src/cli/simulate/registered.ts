import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RegisteredDevice } from '../../../../client/src/generated-types.ts'
import { createDataFolder } from '../../platform/process/data-folder.ts'
import { findDataDir } from '../operator-client.ts'
import type { Target } from './target.ts'

/** What is kept of a simulated device: the next run continues with it instead of registering another. */
export interface KeptDevice extends Pick<RegisteredDevice, 'id' | 'access_key' | 'hub_url' | 'mqtt_hub_url'> {
  position: number
  generation: number
  firmware: number
}

/** A file per service, models and seed, in the data folder. It has the devices' keys, so only its owner may read it. */
export class RegisteredDevices {
  readonly file: string

  constructor(target: Target, seed: string, dataDir: string | undefined) {
    const models = Object.values(target.models).map(({ id }) => id)
    const name = createHash('sha256')
      .update(JSON.stringify([target.entryUrl, models, seed]))
      .digest('hex')
      .slice(0, 12)
    this.file = join(findDataDir(dataDir), 'simulated', `${name}.json`)
  }

  async read(): Promise<Map<number, KeptDevice>> {
    const text = await readFile(this.file, 'utf8').catch(() => '[]')
    return new Map((JSON.parse(text) as KeptDevice[]).map((device) => [device.position, device]))
  }

  async write(devices: Iterable<KeptDevice>): Promise<void> {
    await createDataFolder(join(this.file, '..'))
    const draft = `${this.file}.${process.pid}`
    const lines = Array.from(devices, (device) => JSON.stringify(device))
    await writeFile(draft, `[\n${lines.join(',\n')}\n]\n`, { mode: 0o600 })
    await rename(draft, this.file)
  }
}
