import type { Answer, AnswerStream, ModelApi, ModelCall } from './api.js';
import { type Json, list, obj, pick, str } from './json.js';
import { lastText, pieces, saidIn, tokensOf } from './prompt.js';

/** Anthropic Messages. */
export const anthropic: ModelApi = {
  name: 'anthropic',
  readCall(body) {
    const content = lastUserContent(body);
    const results = content.filter((block) => block.type === 'tool_result');
    const text = lastText(content.filter((block) => block.type === 'text').map((block) => str(block.text)));
    const afterTool = results.length > 0 && (text === '' || text.startsWith('[Request interrupted'));
    const schema = obj(obj(obj(body.output_config).format).schema);
    return {
      model: str(body.model),
      reasoning: pick(body, ['thinking', 'output_config']),
      stream: body.stream === true,
      text: afterTool ? `toolresult ${results.map(resultText).join('|')}` : text,
      afterTool,
      conversationLength: list(body.messages).length,
      userTexts: saidIn(
        list(body.messages)
          .filter((entry) => entry.role === 'user')
          .flatMap((entry) => blocksOf(entry.content).map((block) => str(block.text))),
      ),
      instructions: blocksOf(body.system)
        .map((block) => str(block.text))
        .join('\n'),
      toolNames: list(body.tools).map((tool) => str(tool.name)),
      schema: Object.keys(schema).length > 0 ? schema : undefined,
      inputTokens: tokensOf(body.messages),
    };
  },
  errorBody(status) {
    const type = ERROR_TYPES[status] ?? 'api_error';
    return { type: 'error', error: { type, message: `fake ${type}` }, request_id: 'req_fake' };
  },
  wholeAnswer: message,
  streamAnswer,
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function lastUserContent(body: Json): readonly Json[] {
  const message = list(body.messages).findLast((entry) => entry.role === 'user');
  return blocksOf(message?.content);
}

function blocksOf(content: unknown): readonly Json[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : list(content);
}

function resultText(block: Json): string {
  const content = block.content;
  return typeof content === 'string'
    ? content
    : list(content)
        .map((part) => str(part.text))
        .join('');
}

function message(call: ModelCall, answer: Answer): Json {
  return {
    id: `msg_fake_${answer.serial}`,
    type: 'message',
    role: 'assistant',
    model: call.model,
    content: [contentBlock(answer)],
    stop_reason: stopReason(answer),
    stop_sequence: null,
    usage: usage(answer),
  };
}

function contentBlock(answer: Answer): Json {
  if (!answer.tool) return { type: 'text', text: answer.text };
  return {
    type: 'tool_use',
    id: `toolu_fake_${answer.serial}`,
    name: answer.tool.name,
    input: answer.tool.args,
  };
}

function stopReason(answer: Answer): string {
  return answer.tool ? 'tool_use' : 'end_turn';
}

function usage(answer: Answer): Json {
  return {
    input_tokens: answer.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: answer.outputTokens,
  };
}

function streamAnswer(call: ModelCall, answer: Answer): AnswerStream {
  const empty = { ...message(call, answer), content: [], stop_reason: null };
  const block = contentBlock(answer);
  const emptyBlock = answer.tool ? { ...block, input: {} } : { ...block, text: '' };
  const deltas = answer.tool
    ? [{ type: 'input_json_delta', partial_json: JSON.stringify(answer.tool.args) }]
    : pieces(answer.text).map((text) => ({ type: 'text_delta', text }));
  return {
    opening:
      event('message_start', { message: empty }) +
      event('content_block_start', { index: 0, content_block: emptyBlock }),
    keepAlive: event('ping', {}),
    deltas: deltas.map((delta) => event('content_block_delta', { index: 0, delta })),
    closing:
      event('content_block_stop', { index: 0 }) +
      event('message_delta', {
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: usage(answer),
      }) +
      event('message_stop', {}),
  };
}

function event(type: string, data: Json): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
