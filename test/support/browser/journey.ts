// A journey that find.process.test.ts runs on its own, with and without a browser.
import { it, newContext } from './browser.ts'

it('opens a page', async () => {
  const context = await newContext()
  await (await context.newPage()).goto('about:blank')
})
