// Who may import whom. The folder names are the architecture (docs/architecture.md); this file keeps them honest.
const area = '(directory|authorization|devices|owned|organization|partner|operator)'

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'A cycle means two files are one idea, or an idea is in the wrong file.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'routes-stay-home',
      comment:
        'A route parses, calls a verb of its own area, and replies. The three APIs call the verbs of the three areas.',
      severity: 'error',
      from: { path: '^server/src/(directory|authorization|devices)/routes/', pathNot: '\\.test\\.ts$' },
      to: { path: `^server/src/${area}/`, pathNot: '^server/src/$1/' },
    },
    {
      name: 'routes-never-touch-a-store',
      severity: 'error',
      from: { path: '/routes/', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/src/[^/]+/store/' },
    },
    {
      name: 'verbs-never-import-routes',
      severity: 'error',
      from: { path: `^server/src/${area}/(?!routes/)`, pathNot: '\\.test\\.ts$' },
      to: { path: `^server/src/${area}/routes/` },
    },
    {
      name: 'store-is-only-sql',
      comment: 'One function, one statement, and the SQL handle it is given.',
      severity: 'error',
      from: { path: '^server/src/([^/]+)/store/', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/src/', pathNot: ['^server/src/platform/database/sql\\.ts$', '^server/src/$1/store/'] },
    },
    {
      name: 'another-areas-store-is-private',
      severity: 'error',
      from: { path: `^server/src/${area}/`, pathNot: '\\.test\\.ts$' },
      to: { path: `^server/src/${area}/store/`, pathNot: '^server/src/$1/' },
    },
    {
      name: 'directory-knows-only-itself',
      severity: 'error',
      from: { path: '^server/src/directory/', pathNot: '\\.test\\.ts$' },
      to: { path: `^server/src/${area}/`, pathNot: '^server/src/directory/' },
    },
    {
      name: 'the-two-ways-in-are-strangers',
      severity: 'error',
      from: { path: '^server/src/(authorization|devices)/', pathNot: '\\.test\\.ts$' },
      to: { path: `^server/src/${area}/`, pathNot: '^server/src/($1|directory)/' },
    },
    {
      name: 'the-three-apis-are-strangers',
      severity: 'error',
      from: { path: '^server/src/(organization|partner|operator)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/src/(organization|partner|operator)/', pathNot: '^server/src/$1/' },
    },
    {
      name: 'owned-serves-two-apis-and-knows-neither',
      comment: 'Routes that the organization and the partner API both have, each behind its own door.',
      severity: 'error',
      from: { path: '^server/src/owned/', pathNot: '\\.test\\.ts$' },
      to: { path: ['^server/src/(organization|partner|operator)/', '^server/src/[^/]+/(store|routes)/'] },
    },
    {
      name: 'platform-knows-no-area',
      severity: 'error',
      from: { path: '^server/src/platform/', pathNot: '\\.test\\.ts$' },
      to: { path: `^server/src/${area}/` },
    },
    {
      name: 'portal-and-client-speak-http',
      severity: 'error',
      from: { path: '^(portal|client)/' },
      to: { path: '^server/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|dist|data)/' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
}
