import type { FastifyReply } from 'fastify'
import type { Brand } from '../../platform/pages/page.ts'
import { sendRefusalPage } from '../../platform/pages/refusals.ts'
import type { RequestFault } from '../authorize/pending-requests.ts'

export type Fault = RequestFault | 'unknown'

const startAgain = 'Go back to the application and start again from there.'

const faults: Record<Fault, { status: number; error: string; title: string; sentence: string; next: string }> = {
  unknown: {
    status: 404,
    error: 'invalid_request',
    title: 'This question is no longer open',
    sentence: 'The address is not complete, or it is too old.',
    next: startAgain,
  },
  expired: {
    status: 410,
    error: 'invalid_request',
    title: 'This took too long',
    sentence: 'For your safety a question like this stays open for a quarter of an hour only. Nothing was connected.',
    next: startAgain,
  },
  answered: {
    status: 410,
    error: 'invalid_request',
    title: 'You have already answered',
    sentence: 'This question was answered before, and the answer cannot be changed or repeated here.',
    next: 'Go back to the application: if it is not connected, start again from there.',
  },
  disabled: {
    status: 400,
    error: 'invalid_client',
    title: 'This application cannot be connected',
    sentence: 'The application has been disabled in the meantime. Nothing was connected.',
    next: 'If you did not expect this, tell the people who make it.',
  },
  redirect_uri_gone: {
    status: 400,
    error: 'invalid_request',
    title: 'This application cannot be connected',
    sentence: 'The address to return to is no longer registered for this application. Nothing was connected.',
    next: startAgain,
  },
}

export function isFault(word: string): word is Fault {
  return word in faults
}

export function writeFault(fault: Fault, reply: FastifyReply, brand?: Brand) {
  return sendRefusalPage(reply, { ...faults[fault], brand })
}
