// What a generated client of Python does with /openapi.json first: it compiles every pattern.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { startHarness } from '../support/harness.ts'

const service = await startHarness()

const program = `
import json, re, sys
def patterns(node):
    if isinstance(node, list):
        for item in node: yield from patterns(item)
    elif isinstance(node, dict):
        if isinstance(node.get("pattern"), str): yield node["pattern"]
        for value in node.values(): yield from patterns(value)
found = set(patterns(json.load(sys.stdin)))
for pattern in found: re.compile(pattern)
print(len(found))
`

it('Python compiles every pattern of the OpenAPI document', async () => {
  const document = await service.app.inject({ url: '/openapi.json' })
  const count = await new Promise<string>((resolve, reject) => {
    const child = execFile('python3', ['-c', program], (error, stdout) => (error ? reject(error) : resolve(stdout)))
    child.stdin!.end(document.body)
  })
  assert.ok(Number(count) >= 5, count)
})
