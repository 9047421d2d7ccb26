import type { Answer, AnswerStream, ModelApi, ModelCall } from './api.js';
import { type Json, list, obj, pick, str } from './json.js';
import { lastText, pieces, saidIn, tokensOf } from './prompt.js';

/** Gemini generateContent and streamGenerateContent: model and method are in the path. */
export const gemini: ModelApi = {
  name: 'gemini',
  readCall(body, url) {
    const parts = list(list(body.contents).at(-1)?.parts);
    const result = parts.find((part) => part.functionResponse !== undefined);
    const config = obj(body.generationConfig);
    return {
      model: modelOf(url),
      reasoning: pick(config, ['thinkingConfig']),
      stream: url.pathname.endsWith(':streamGenerateContent'),
      text: result
        ? `toolresult ${JSON.stringify(obj(result.functionResponse).response)}`
        : lastText(parts.map((part) => str(part.text))),
      afterTool: result !== undefined,
      conversationLength: list(body.contents).length,
      userTexts: saidIn(
        list(body.contents)
          .filter((entry) => entry.role === 'user')
          .flatMap((entry) => list(entry.parts).map((part) => str(part.text))),
      ),
      instructions: list(obj(body.systemInstruction).parts)
        .map((part) => str(part.text))
        .join('\n'),
      toolNames: list(body.tools)
        .flatMap((tool) => list(tool.functionDeclarations))
        .map((declaration) => str(declaration.name)),
      schema:
        config.responseMimeType === 'application/json'
          ? obj(config.responseJsonSchema ?? config.responseSchema)
          : undefined,
      inputTokens: tokensOf(body.contents),
    };
  },
  errorBody(status) {
    const message = status === 401 ? 'API key not valid (fake)' : `fake ${status} error`;
    return { error: { code: status, message, status: ERROR_STATUS[status] ?? 'INTERNAL' } };
  },
  wholeAnswer(call, answer) {
    return content(call, answer, answer.tool ? functionCall(answer) : { text: answer.text }, true);
  },
  streamAnswer,
};

const ERROR_STATUS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

function modelOf(url: URL): string {
  return str(url.pathname.match(/\/models\/([^:]+):/)?.[1]);
}

function functionCall(answer: Answer): Json {
  return { functionCall: { name: answer.tool?.name, args: answer.tool?.args } };
}

function content(call: ModelCall, answer: Answer, part: Json, last: boolean): Json {
  const candidate = { content: { role: 'model', parts: [part] }, index: 0 };
  return {
    candidates: [last ? { ...candidate, finishReason: 'STOP' } : candidate],
    usageMetadata: {
      promptTokenCount: answer.inputTokens,
      candidatesTokenCount: answer.outputTokens,
      totalTokenCount: answer.inputTokens + answer.outputTokens,
    },
    modelVersion: call.model,
    responseId: `fake${answer.serial}`,
  };
}

function streamAnswer(call: ModelCall, answer: Answer): AnswerStream {
  const parts: readonly Json[] = answer.tool
    ? [functionCall(answer)]
    : pieces(answer.text).map((text) => ({ text }));
  const deltas = parts.map((part, index) => {
    const data = content(call, answer, part, index === parts.length - 1);
    return `data: ${JSON.stringify(data)}\r\n\r\n`;
  });
  return { opening: '', keepAlive: '', deltas, closing: '' };
}
