// What the devices can be told, declared once: for the model (`partner.models.commands.replace(modelId, { commands })`), for
// the types of the handlers, and to reject parameters that do not fit. The lab's model has these already.
import { defineCommands } from '@landbridge/client'

export const commands = defineCommands([
  {
    name: 'set_point',
    label: 'Set point',
    description: 'Heats to this temperature from now on.',
    parameters: [
      { key: 'celsius', type: 'number', label: 'Temperature in °C', required: true, min: 5, max: 30 },
      { key: 'mode', type: 'text', label: 'Mode', values: ['comfort', 'eco'] },
    ],
  },
  {
    name: 'self_test',
    label: 'Self-test',
    description: 'Takes some seconds, and reports how far it is.',
    timeout: 60,
  },
  {
    name: 'reboot',
    label: 'Reboot',
    description: 'Restarts the device, which is away for some seconds.',
    confirm: true,
    requires_online: true,
    expires_after: 300,
  },
])
