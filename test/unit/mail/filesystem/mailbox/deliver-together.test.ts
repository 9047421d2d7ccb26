import { expect, test } from 'vitest';
import { bootstrap } from '../../../../../src/mail/filesystem/registration/bootstrap.js';
import { checkConsistent } from '../../../../support/mail/check-root.js';
import { mailOf, newRoot, openRoot, send, subjectsOf } from '../../../../support/mail/mail-root.js';
import { type Sending, startSender } from '../../../../support/mail/sender-process.js';

/** Of both senders together; `npm run torture -- --mail --together N` has more of them. */
const messages = Number(process.env.HOUMAO_MAIL_TOGETHER ?? 120);
const subjects = ({ prefix, count }: Sending): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

async function together(sendings: readonly Sending[]) {
  const root = await newRoot(['alice', 'bob', 'carol', 'dave']);
  const senders = await Promise.all(sendings.map((each) => startSender(root.paths.root, each)));
  for (const sender of senders) sender.begin();
  expect(await Promise.all(senders.map(({ ended }) => ended))).toEqual(sendings.map(() => 0));
  expect(senders.map(({ delivered }) => delivered)).toEqual(sendings.map(subjects));
  checkConsistent(root);
  return root;
}

test('two processes that deliver at once lose nothing and double nothing', async () => {
  const sendings = [
    { from: 'alice', to: ['carol', 'bob'], count: messages / 2, prefix: 'a' },
    { from: 'bob', to: ['carol', 'alice', 'dave'], count: messages / 2, prefix: 'b' },
  ];
  const root = await together(sendings);
  const all = sendings.flatMap(subjects).sort();
  expect((await subjectsOf(root, 'carol')).sort()).toEqual(all);
  expect((await subjectsOf(root, 'dave')).sort()).toEqual(subjects(sendings[1]!).sort());
});

test('beside one that locks and writes as the older implementation does', async () => {
  const sendings = [
    { from: 'alice', to: ['carol'], count: messages / 2, prefix: 'a' },
    { from: 'bob', to: ['carol', 'alice'], count: messages / 2, prefix: 'p', peer: true },
  ];
  const root = await together(sendings);
  expect((await subjectsOf(root, 'carol')).sort()).toEqual(sendings.flatMap(subjects).sort());
  expect((await subjectsOf(root, 'alice')).sort()).toEqual(subjects(sendings[1]!).sort());
});

test('deliveries that one process begins at once follow each other', async () => {
  const root = await newRoot(['alice', 'bob', 'carol']);
  const names = Array.from({ length: 20 }, (_, n) => `m${n}`);
  await Promise.all(
    names.map((subject, n) => send(root, mailOf(n % 2 ? 'alice' : 'bob', ['carol'], { subject }))),
  );
  expect((await subjectsOf(root, 'carol')).sort()).toEqual([...names].sort());
  checkConsistent(root);
});

test('roots that are made at once are one', async () => {
  const first = await newRoot();
  const roots = Array.from({ length: 5 }, () => openRoot(`${first.paths.root}-other`));
  await Promise.all(roots.map((root) => bootstrap(root)));
  expect(roots[0]?.index.registrations.all()).toHaveLength(1);
});

test('the same message is delivered once', async () => {
  const root = await newRoot(['alice', 'bob']);
  const message = mailOf('alice', ['bob']);
  const results = await Promise.allSettled([1, 2, 3].map(() => send(root, message)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(results.filter((each) => each.status === 'rejected').map(({ reason }) => reason.code)).toEqual([
    ...['message_exists', 'message_exists'],
  ]);
  expect(await subjectsOf(root, 'bob')).toHaveLength(1);
  checkConsistent(root);
});
