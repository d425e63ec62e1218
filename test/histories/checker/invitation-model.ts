// Integrate.md section 1 and /openapi.json, invitations: the newest link works once, until the invitation is withdrawn.
import type { InvitationCall } from './history.ts'
import type { Model } from './linearizable.ts'

export interface InvitationState {
  is: 'none' | 'pending' | 'accepted' | 'withdrawn'
  /** The one that works; one that nobody was told is `?`. */
  link: string
}

export const invitationModel: Model<InvitationState, InvitationCall> = {
  initial: { is: 'none', link: '' },
  step(state, call) {
    if (call.refused === 'too_many') return [state]
    const isPending = state.is === 'pending'
    switch (call.kind) {
      case 'invite':
        return state.is === 'none' && !call.refused ? [{ is: 'pending', link: call.ok?.link ?? '?' }] : []
      case 'relink':
        if (call.refused) return isPending ? [] : [state]
        return isPending ? [{ ...state, link: call.ok?.link ?? '?' }] : []
      case 'accept': {
        const works = isPending && state.link === call.input.link
        if (call.refused) return works ? [] : [state]
        return works ? [{ ...state, is: 'accepted' }] : []
      }
      case 'uninvite':
        if (call.refused) return isPending ? [] : [state]
        return isPending ? [{ ...state, is: 'withdrawn' }] : []
    }
  },
}
