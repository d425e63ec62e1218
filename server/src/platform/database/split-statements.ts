/** Texts in quotes, names in quotes, comments, bodies between dollar signs, the end of a statement, and everything else. */
const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|(\$(?:[a-z_]\w*)?\$)[\s\S]*?\1|;|[^'"\-/$;]+|[\s\S]/gi

/** The statements of a migration, each as it is written, comments around it left out. */
export function splitStatements(text: string): string[] {
  const statements = ['']
  for (const [piece] of text.matchAll(token)) {
    if (piece === ';') statements.push('')
    else if (!/^(--|\/\*)/.test(piece)) statements.push(statements.pop()! + piece)
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '')
}
