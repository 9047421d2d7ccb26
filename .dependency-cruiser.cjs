// The direction of dependencies between rooms (CONTRIBUTING.md, "Find your way"); scripts/check-rooms.mjs looks inside them.
// Type-only imports count: a room that needs another one's types cannot be read without it.

/** The rooms on their floors, the lowest first: a room imports rooms of lower floors, and of its own floor only where no circle forms. */
const floors = [
  ['foundation'],
  ['storage', 'contract'],
  ['session', 'events', 'tools', 'diagnostics', 'telemetry'],
  ['terminal', 'mail'],
  ['run'],
  ['agent'],
  ['turn'],
  ['launch', 'http', 'dispatch', 'protocols', 'fleet'],
  ['gateway', 'server'],
  ['cli', 'demo'],
];

const inRoom = (names) => `^src/(${names.join('|')})/`;
const upward = floors.slice(0, -1).map((floor, index) => ({
  name: `no-arrow-up-from-${floor[0]}`,
  severity: 'error',
  comment: 'A room only needs what lies below it.',
  from: { path: inRoom(floor) },
  to: { path: inRoom(floors.slice(index + 1).flat()) },
}));

const forbid = (name, from, to, comment) => ({
  name,
  severity: 'error',
  comment,
  from: { path: from },
  to: { path: to },
});

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one thing.',
      from: { path: '^(src|sdk)/' },
      to: { circular: true, viaNot: '^generated/' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      comment: 'Nothing imports it and it is no program.',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: [
          'main\\.ts$',
          '^src/(page/start|contract/document/catalogue-markdown)\\.ts$',
          '^src/telemetry/traces\\.ts$',
        ],
      },
      to: {},
    },
    forbid(
      'only-some-need-the-contract',
      '^src/(?!gateway/|server/|contract/)',
      '^generated/',
      'Shapes of the contract appear at the door; programs reach gateways through the SDK.',
    ),
    forbid(
      'gateways-through-the-sdk',
      '^src/(?!launch/|cli/|demo/|server/|protocols/|fleet/|foundation/http-exchange\\.ts$)',
      '^sdk/',
      'Only what stands outside a gateway speaks to one.',
    ),
    {
      name: 'one-dispatcher',
      severity: 'error',
      comment:
        'The SDK is packed apart, so what it shares with the sources lies there: how connections are made, and no more.',
      from: { path: '^src/foundation/' },
      to: { path: '^sdk/', pathNot: '^sdk/(src|dist)/core/transport/dispatcher\\.' },
    },
    forbid('surfaces-apart', '^src/gateway/', '^src/(server|launch)/', 'What both need lies below them.'),
    forbid(
      'surfaces-apart-too',
      '^src/(server|launch|cli|demo)/',
      '^src/gateway/',
      'What both need lies below them.',
    ),
    forbid(
      'http-knows-no-surface',
      '^src/http/',
      '^src/(?!foundation/|contract/|http/)',
      'Express serves any surface.',
    ),
    forbid(
      'contract-is-spec-agnostic',
      '^src/contract/',
      '^src/(?!foundation/|contract/)',
      'It binds any surface.',
    ),
    forbid(
      'mail-knows-no-agent',
      '^src/mail/',
      '^src/(?!foundation/|storage/|mail/)',
      'A mailbox root is used without any gateway, too.',
    ),
    forbid(
      'diagnostics-ask-nobody',
      '^src/diagnostics/',
      '^src/(?!foundation/|contract/|events/|diagnostics/)',
      'The diagnostic log is told what happened.',
    ),
    forbid('standin-stands-alone', '^standin/', '^(src/|generated/|sdk/)', 'It is a program of its own.'),
    forbid('nothing-needs-the-standin', '^(src|sdk)/', '^standin/', 'Programs start it as a tool of a user.'),
    forbid(
      'page-stands-alone',
      '^src/page/',
      '^(src/(?!page/|contract/document/)|generated/|sdk/|node_modules/(?!minisearch/))',
      'It runs in a browser, and the build makes one file of it, of what reads a document, and of its search engine.',
    ),
    forbid(
      'documents-stand-alone',
      '^src/contract/document/',
      '^(src/(?!contract/document/)|generated/|sdk/|node_modules/)',
      'The page has them in a browser, too.',
    ),
    forbid(
      'protocols-speak-to-the-sdk',
      '^src/protocols/',
      '^src/(?!foundation/|protocols/)',
      'A standard that others define is translated into calls of the SDK, and nothing else.',
    ),
    forbid('nothing-needs-the-page', '^src/(?!page/)', '^src/page/', 'Programs serve it as a file.'),
    {
      name: 'express-only-in-http',
      severity: 'error',
      comment: 'Only http/ knows express, its validator and its page.',
      from: { path: '^src/', pathNot: '^src/http/' },
      to: { path: 'node_modules/(express|express-openapi-validator|swagger-ui-express)/' },
    },
    {
      name: 'undici-in-one-file',
      severity: 'error',
      comment: 'Calls go through one place; its dispatcher is that of the SDK.',
      from: { path: '^src/', pathNot: '^src/foundation/http-exchange\\.ts$' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'http-only-for-programs',
      severity: 'error',
      comment: 'Only the process of a surface puts express and handlers together.',
      from: { path: '^src/(?!http/)', pathNot: '^src/[a-z]+/process/' },
      to: { path: '^src/http/' },
    },
    {
      name: 'sdk-stands-alone',
      severity: 'error',
      comment: 'The packed SDK has nothing of the server.',
      from: { path: '^sdk/src/' },
      to: { path: '^(src|generated)/' },
    },
    forbid(
      'sdk-core-knows-no-surface',
      '^sdk/src/core/',
      '^sdk/src/(?!core/)',
      'A second surface gets its client from the same core.',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
