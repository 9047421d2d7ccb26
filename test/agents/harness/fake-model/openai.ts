import type { Answer, AnswerStream, ModelApi, ModelCall } from './api.js';
import { type Json, list, obj, pick, str } from './json.js';
import { lastText, pieces, saidIn, tokensOf } from './prompt.js';

/** OpenAI Responses over plain HTTP. */
export const openai: ModelApi = {
  name: 'openai',
  readCall(body) {
    const items = inputItems(body);
    const last = items.at(-1) ?? {};
    const afterTool = str(last.type).endsWith('_output');
    const format = obj(obj(body.text).format);
    return {
      model: str(body.model),
      reasoning: pick(obj(body.reasoning), ['effort', 'summary']),
      stream: body.stream === true,
      text: afterTool
        ? `toolresult ${JSON.stringify(last.output)}`
        : lastText(items.filter(isUserMessage).map(messageText)),
      afterTool,
      conversationLength: items.length,
      userTexts: saidIn(items.filter(isUserMessage).map(messageText)),
      instructions: [str(body.instructions), ...items.filter(isDeveloperMessage).map(messageText)].join('\n'),
      toolNames: list(body.tools).flatMap(namesOf),
      schema: format.type === 'json_schema' ? obj(format.schema) : undefined,
      inputTokens: tokensOf(items),
    };
  },
  errorBody(status) {
    const [type, code] =
      status === 401 ? ['invalid_request_error', 'invalid_api_key'] : ['server_error', null];
    return { error: { message: `fake ${status} error`, type, code } };
  },
  wholeAnswer: finishedResponse,
  streamAnswer,
};

/** A namespace holds the tools of one MCP server. */
function namesOf(tool: Json): readonly string[] {
  if (tool.type !== 'namespace') return [str(tool.name)];
  return list(tool.tools).map(({ name }) => `${str(tool.name)}.${str(name)}`);
}

function inputItems(body: Json): readonly Json[] {
  const input = body.input;
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : list(input);
}

function isUserMessage(item: Json): boolean {
  return (item.type ?? 'message') === 'message' && item.role === 'user';
}

function isDeveloperMessage(item: Json): boolean {
  return item.role === 'developer';
}

function messageText(item: Json): string {
  const content = item.content;
  return typeof content === 'string'
    ? content
    : list(content)
        .map((part) => str(part.text))
        .join('\n');
}

function finishedResponse(call: ModelCall, answer: Answer): Json {
  return {
    ...openResponse(call, answer),
    status: 'completed',
    output: [outputItem(answer)],
    usage: {
      input_tokens: answer.inputTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: answer.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: answer.inputTokens + answer.outputTokens,
    },
  };
}

function openResponse(call: ModelCall, answer: Answer): Json {
  return {
    id: `resp_fake_${answer.serial}`,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model: call.model,
    status: 'in_progress',
    output: [],
  };
}

function outputItem(answer: Answer): Json {
  if (!answer.tool) {
    const content = [{ type: 'output_text', text: answer.text, annotations: [] }];
    return { type: 'message', id: itemId(answer), role: 'assistant', status: 'completed', content };
  }
  const [name, namespace] = answer.tool.name.split('.').reverse();
  return {
    type: 'function_call',
    id: itemId(answer),
    call_id: `call_fake_${answer.serial}`,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(answer.tool.args),
    status: 'completed',
  };
}

function itemId(answer: Answer): string {
  return `item_fake_${answer.serial}`;
}

function streamAnswer(call: ModelCall, answer: Answer): AnswerStream {
  let sequence = 0;
  const event = (type: string, data: Json): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
  const open = openResponse(call, answer);
  const item = outputItem(answer);
  const started = { ...item, status: 'in_progress', ...(answer.tool ? { arguments: '' } : { content: [] }) };
  const place = { item_id: itemId(answer), output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: answer.text, annotations: [] };
  const opening =
    event('response.created', { response: open }) + event('response.in_progress', { response: open });
  const added = event('response.output_item.added', { output_index: 0, item: started });
  const texts = answer.tool
    ? []
    : [
        event('response.content_part.added', { ...place, part: { ...part, text: '' } }),
        ...pieces(answer.text).map((delta) => event('response.output_text.delta', { ...place, delta })),
        event('response.output_text.done', { ...place, text: answer.text }) +
          event('response.content_part.done', { ...place, part }),
      ];
  const closing =
    event('response.output_item.done', { output_index: 0, item }) +
    event('response.completed', { response: finishedResponse(call, answer) });
  return { opening, keepAlive: ': keepalive\n\n', deltas: [added, ...texts], closing };
}
