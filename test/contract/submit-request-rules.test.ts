import { describe, expect, test } from 'vitest';
import { serve } from './support/served.js';

const served = serve();

const prompt = (payload: object) => ({ kind: 'submit_prompt', payload: { prompt: 'x', ...payload } });
const rule = (text: string) => ({ type: 'value_error', msg: text, ctx: { error: text } });
const selectorRule = rule("id is required for mode 'exact' and forbidden for every other mode");
const modelRule = rule('at least one of name or reasoning must be set');
const textRule = rule('must be well-formed Unicode without NUL');
const turnIdRule = rule(
  'must begin with a letter or a digit, and have at most 128 letters, digits, dots, - and _',
);

/** The body that is sent, the item that must come back, and where it points. */
const broken: [title: string, body: unknown, item: object, loc: (string | number)[]][] = [
  ['no kind', {}, { type: 'union_tag_not_found', input: {} }, ['kind']],
  [
    'another kind',
    { kind: 'pause', payload: {} },
    {
      type: 'union_tag_invalid',
      msg: "'pause' is not a kind; use 'submit_prompt', 'interrupt'",
      input: 'pause',
    },
    ['kind'],
  ],
  ['no payload', { kind: 'interrupt' }, { type: 'missing', msg: 'Field required' }, ['payload']],
  ['no prompt', { kind: 'submit_prompt', payload: {} }, { type: 'missing' }, ['payload', 'prompt']],
  [
    'an interrupt with a prompt',
    { kind: 'interrupt', payload: { prompt: 'x' } },
    { type: 'extra_forbidden' },
    ['payload', 'prompt'],
  ],
  ['an unknown field', { ...prompt({}), priority: 3 }, { type: 'extra_forbidden', input: 3 }, ['priority']],
  ['an unknown field below', prompt({ priority: 3 }), { type: 'extra_forbidden' }, ['payload', 'priority']],
  ['a prompt of blanks', prompt({ prompt: ' \n\t\u2003' }), rule('must not be empty'), ['payload', 'prompt']],
  ['an empty prompt', prompt({ prompt: '' }), rule('must not be empty'), ['payload', 'prompt']],
  [
    'a prompt that is no text',
    prompt({ prompt: 5 }),
    { type: 'string_type', input: 5 },
    ['payload', 'prompt'],
  ],
  ['a NUL', prompt({ prompt: 'a\0b' }), textRule, ['payload', 'prompt']],
  [
    'another schema_version',
    { ...prompt({}), schema_version: 2 },
    { type: 'literal_error', ctx: { expected: '1' } },
    ['schema_version'],
  ],
  ['a turn_id that climbs', prompt({ turn_id: '../../../x' }), turnIdRule, ['payload', 'turn_id']],
  ['a turn_id that is too long', prompt({ turn_id: 'a'.repeat(129) }), turnIdRule, ['payload', 'turn_id']],
  ['a turn_id of dots', prompt({ turn_id: '..' }), turnIdRule, ['payload', 'turn_id']],
  ['a turn_id with a line break', prompt({ turn_id: 'a\n' }), turnIdRule, ['payload', 'turn_id']],
  [
    'exact without id',
    prompt({ chat_session: { mode: 'exact' } }),
    selectorRule,
    ['payload', 'chat_session'],
  ],
  [
    'exact with a null id',
    prompt({ chat_session: { mode: 'exact', id: null } }),
    selectorRule,
    ['payload', 'chat_session'],
  ],
  [
    'new with an id',
    prompt({ chat_session: { mode: 'new', id: 'x' } }),
    selectorRule,
    ['payload', 'chat_session'],
  ],
  [
    'exact with a blank id',
    prompt({ chat_session: { mode: 'exact', id: ' ' } }),
    rule('must not be empty'),
    ['payload', 'chat_session', 'id'],
  ],
  [
    'an unknown mode',
    prompt({ chat_session: { mode: 'last' } }),
    { type: 'literal_error', msg: "Input should be 'auto', 'new', 'current', 'tool_last_or_new' or 'exact'" },
    ['payload', 'chat_session', 'mode'],
  ],
  [
    'a model with neither field',
    prompt({ execution: { model: {} } }),
    modelRule,
    ['payload', 'execution', 'model'],
  ],
  [
    'a model with both null',
    prompt({ execution: { model: { name: null, reasoning: null } } }),
    modelRule,
    ['payload', 'execution', 'model'],
  ],
  ['no model', prompt({ execution: {} }), { type: 'missing' }, ['payload', 'execution', 'model']],
  [
    'a level below 0',
    prompt({ execution: { model: { reasoning: { level: -1 } } } }),
    { type: 'greater_than_equal', ctx: { ge: 0 } },
    ['payload', 'execution', 'model', 'reasoning', 'level'],
  ],
  [
    'a level between two',
    prompt({ execution: { model: { reasoning: { level: 1.5 } } } }),
    { type: 'int_type' },
    ['payload', 'execution', 'model', 'reasoning', 'level'],
  ],
  [
    'a level as text',
    prompt({ execution: { model: { reasoning: { level: '1' } } } }),
    { type: 'int_type' },
    ['payload', 'execution', 'model', 'reasoning', 'level'],
  ],
];

describe('a submission that breaks the contract', () => {
  test.each(broken)('with %s is 422 and says so', async (_title, body, item, loc) => {
    const before = (await served.ask('GET', '/v1/requests?limit=1')).body.requests[0]?.request_id;
    const answer = await served.ask('POST', '/v1/requests', body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toHaveLength(1);
    expect(answer.body.detail[0]).toMatchObject({ ...item, loc: ['body', ...loc] });
    const after = (await served.ask('GET', '/v1/requests?limit=1')).body.requests[0]?.request_id;
    expect(after).toBe(before);
  });

  test('with a lone surrogate is 422', async () => {
    const { status, body } = await served.ask(
      'POST',
      '/v1/requests',
      '{"kind":"submit_prompt","payload":{"prompt":"\\ud800"}}',
    );
    expect([status, body.detail[0].msg]).toEqual([422, textRule.msg]);
  });

  test('in several places names them all', async () => {
    const body = prompt({ prompt: 1, turn_id: '/', chat_session: { mode: 'exact' }, execution: [] });
    const { detail } = (await served.ask('POST', '/v1/requests', body)).body;
    expect(detail.map((item: { loc: string[] }) => item.loc.at(-1)).sort()).toEqual([
      'chat_session',
      'execution',
      'prompt',
      'turn_id',
    ]);
  });
});
