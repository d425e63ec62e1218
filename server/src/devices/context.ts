import type { Context as DirectoryContext } from '../directory/context.ts'
import { type Limits, memoryLimits } from '../platform/limits.ts'
import { type CellMap, createCellMap } from './cells/cell-map.ts'
import { type CreateCommand, createCommandCreator } from './commands/command-creator.ts'
import { type CommandHandOut, createCommandHandOut } from './commands/command-hand-out.ts'
import { createReporter, type ReportCommand } from './commands/reports.ts'
import { WaitingPolls } from './commands/waiting-polls.ts'
import { createConnectionRegistry, createLostConnectionMarker } from './live/connections.ts'
import { createDeviceFeed, type DeviceFeed } from './live/device-feed.ts'
import { createLiveInterest, type LiveInterest } from './live/interest.ts'
import { createLivePublishing, type LivePublishing } from './live/live-publishing.ts'
import { createStatusCarrier, type StatusCarrier } from './live/status-carrier.ts'
import { DeviceCounters } from './registry/device-counters.ts'
import { createFirmwareReporter } from './registry/firmware.ts'
import { createHardwareKeyUseCounter } from './registry/hardware-keys.ts'
import { createConfigReader } from './settings/config-reader.ts'
import { createSettingsCarrier } from './settings/settings-carrier.ts'
import { createLargeCalls, type LargeCalls } from './telemetry/large-calls.ts'
import { MessageCounters } from './telemetry/message-counters.ts'
import { createTelemetryPipeline, type TelemetryPipeline } from './telemetry/telemetry-pipeline.ts'

export interface Context extends DirectoryContext, LargeCalls {
  // Work that concurrent requests of this process share: decision 9.1.
  telemetry: TelemetryPipeline
  statuses: StatusCarrier
  reportFirmware: ReturnType<typeof createFirmwareReporter>
  countHardwareKeyUse: ReturnType<typeof createHardwareKeyUseCounter>
  createCommand: CreateCommand
  commandHandOut: CommandHandOut
  reportCommand: ReportCommand
  commandPolls: WaitingPolls
  fleetPolls: WaitingPolls
  readConfigs: ReturnType<typeof createConfigReader>
  /** Polls and reports by device: they protect this process, so that they are counted in its memory. */
  commandCalls: Limits
  registerConnection: ReturnType<typeof createConnectionRegistry>
  markConnectionLost: ReturnType<typeof createLostConnectionMarker>

  // State of this process.
  cells: CellMap
  liveInterest: LiveInterest
  livePublishing: LivePublishing
  deviceFeed: DeviceFeed
  messageCounters: MessageCounters
  deviceCounters: DeviceCounters
}

export function createContext(directory: DirectoryContext): Context {
  const statuses = createStatusCarrier(directory)
  const settings = createSettingsCarrier(directory)
  const messageCounters = new MessageCounters(directory.metrics.registry)
  const telemetry = createTelemetryPipeline({ ...directory, messageCounters }, statuses, { settings })
  const liveInterest = createLiveInterest(directory)
  return {
    ...directory,
    telemetry,
    statuses,
    reportFirmware: createFirmwareReporter(directory),
    countHardwareKeyUse: createHardwareKeyUseCounter(directory),
    createCommand: createCommandCreator(directory),
    commandHandOut: createCommandHandOut(directory),
    reportCommand: createReporter(directory),
    readConfigs: createConfigReader(directory),
    commandPolls: new WaitingPolls(),
    fleetPolls: new WaitingPolls(),
    commandCalls: memoryLimits(directory.now),
    registerConnection: createConnectionRegistry(directory),
    markConnectionLost: createLostConnectionMarker(directory, statuses),
    cells: createCellMap(directory),
    largeCalls: createLargeCalls(directory),
    liveInterest,
    livePublishing: createLivePublishing(directory, { interest: liveInterest, telemetry }),
    deviceFeed: createDeviceFeed(directory),
    messageCounters,
    deviceCounters: new DeviceCounters(directory.metrics.registry),
  }
}
