import { expect, test } from 'vitest';
import { bundleOf, operationsIn } from '../support/bundle.js';

/** The routes of the older implementation that clients use, below `/houmao/agents/{agent_ref}` (docs/decisions.md#compatible-shapes). */
const ofAgent = [
  ...[
    'GET ',
    'GET /state',
    'GET /state/detail',
    'GET /history',
    'POST /requests',
    'POST /stop',
    'POST /interrupt',
  ],
  ...['POST /turns', 'GET /turns/{turn_id}', 'GET /turns/{turn_id}/events'],
  ...['GET /turns/{turn_id}/artifacts/stdout', 'GET /turns/{turn_id}/artifacts/stderr'],
  ...['GET /gateway', 'POST /gateway/attach', 'POST /gateway/detach', 'POST /gateway/requests'],
  ...[
    'POST /gateway/control/prompt',
    'POST /gateway/control/send-keys',
    'GET /gateway/control/headless/state',
  ],
  ...['POST /gateway/control/headless/next-prompt-session', 'POST /gateway/internal/headless-prompt'],
  ...['GET /gateway/tui/state', 'GET /gateway/tui/history', 'POST /gateway/tui/note-prompt'],
  ...['GET /gateway/mail-notifier', 'PUT /gateway/mail-notifier', 'DELETE /gateway/mail-notifier'],
  ...['GET /gateway/reminders', 'POST /gateway/reminders', 'GET /gateway/reminders/{reminder_id}'],
  ...['PUT /gateway/reminders/{reminder_id}', 'DELETE /gateway/reminders/{reminder_id}'],
  ...['GET /mail/status', 'GET /mail/resolve-live', 'POST /mail/check', 'POST /mail/state'],
  ...['POST /mail/post', 'POST /mail/send', 'POST /mail/reply'],
];
const ofServer = [
  'GET /health',
  'GET /houmao/agents',
  'POST /houmao/agents/headless/launches',
  'POST /houmao/launches/register',
  'GET /houmao/server/current-instance',
  'POST /houmao/server/shutdown',
  'GET /houmao/terminals/{terminal_id}/state',
  'GET /houmao/terminals/{terminal_id}/history',
];
/** The second set of names that a gateway's mail has. */
const gatewayMail = ['list', 'peek', 'read', 'mark', 'move', 'archive'].map((name) => `POST /mail/${name}`);
const below = (routes: readonly string[]): string[] =>
  routes.map((one) => one.replace(' ', ' /houmao/agents/{agent_ref}'));
const compatible = [...ofServer, ...below(ofAgent)];

test('every route that clients know is there, and exactly what they do not know is marked as an addition', () => {
  const operations = operationsIn(bundleOf('managed-agent'));
  const paths = operations.map(({ method, path }) => `${method} ${path}`);
  expect([...compatible, ...below(gatewayMail)].filter((one) => !paths.includes(one))).toEqual([]);
  const marked = operations.filter(({ addition }) => addition).map(({ method, path }) => `${method} ${path}`);
  expect(paths.filter((one) => !compatible.includes(one)).sort()).toEqual(marked.sort());
});
