import { expect, test } from 'vitest';
import type { ContractDocument } from '../../../src/contract/document/contract-document.js';
import { questionsOf, type Read, type TerminalDialog } from '../../../src/page/asked-panel.js';

const dialog: TerminalDialog = {
  dialog_id: 'dialog-1',
  text: 'Proceed?',
  choices: [{ number: 1, label: 'Yes', marked: true }],
};
const ofGateway = '/v1/control/tui/dialog';
const documentWith = (path: string): ContractDocument => ({
  info: { title: 't', version: '7' },
  paths: { [path]: {} },
});
/** Answers 200 where there is a body, else something else. */
const reads =
  (bodies: Readonly<Record<string, unknown>>): Read =>
  async <Body>(path: string) =>
    (bodies[path] ?? null) as Body | null;

test('the page of a gateway has the question of its agent, and none where it asks nothing or has no terminal', async () => {
  const asked = (bodies: Readonly<Record<string, unknown>>) =>
    questionsOf(documentWith(ofGateway), reads(bodies));
  const answerable = { path: ofGateway, dialog };
  expect(await asked({ [ofGateway]: { dialog } })).toEqual([{ agent: null, text: 'Proceed?', answerable }]);
  expect(await asked({ [ofGateway]: { dialog: null } })).toEqual([]);
  expect(await asked({})).toEqual([]);
});

const listed = (name: string | null, terminal: string | null) => ({
  tracked_agent_id: `${name ?? 'HOUMAO-nameless'}-7`,
  agent_name: name,
  terminal_id: terminal,
});
const asksState = {
  parsed_surface: { business_state: 'awaiting_operator', operator_blocked_excerpt: 'Trust it?' },
};
const idleState = { parsed_surface: { ...asksState.parsed_surface, business_state: 'idle' } };
const gatewayOf = (id: string) => `/houmao/agents/${id}/gateway/tui/dialog`;

test('the page of a server has those of all agents in terminals: only one with a gateway can be answered', async () => {
  const path = gatewayOf('HOUMAO-alpha-7');
  const read = reads({
    '/houmao/agents': {
      agents: [
        listed('HOUMAO-alpha', 't1'),
        listed(null, 't2'),
        listed('HOUMAO-works', 't3'),
        listed('HOUMAO-answered', 't4'),
        listed('HOUMAO-unread', 't5'),
        listed('HOUMAO-headless', null),
      ],
    },
    '/houmao/terminals/t1/state': asksState,
    '/houmao/terminals/t2/state': asksState,
    '/houmao/terminals/t3/state': idleState,
    '/houmao/terminals/t4/state': asksState,
    '/houmao/terminals/t5/state': { parsed_surface: null },
    [path]: { dialog },
    [gatewayOf('HOUMAO-answered-7')]: { dialog: null },
  });
  expect(await questionsOf(documentWith('/houmao/agents'), read)).toEqual([
    { agent: 'alpha', text: 'Proceed?', answerable: { path, dialog } },
    { agent: 'nameless-7', text: 'Trust it?', answerable: null },
  ]);
});

test('the page of a headless agent does not ask for a screen that there is not', async () => {
  const get = { operationId: 'getDialog', responses: {}, 'x-houmao-unavailable': 'It is headless.' };
  const headless: ContractDocument = { info: { title: 't', version: '7' }, paths: { [ofGateway]: { get } } };
  const asked: string[] = [];
  const read: Read = async (path) => {
    asked.push(path);
    return null;
  };
  expect([await questionsOf(headless, read), asked]).toEqual([[], []]);
});

test('nobody at the address is a fault, not the absence of questions', async () => {
  const silent: Read = () => Promise.reject(new TypeError('fetch failed'));
  await expect(questionsOf(documentWith(ofGateway), silent)).rejects.toThrow(TypeError);
  await expect(questionsOf(documentWith('/houmao/agents'), silent)).rejects.toThrow(TypeError);
});
