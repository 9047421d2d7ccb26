/**
 * Writes the header of the error code at every response that names its codes (`x-houmao-error-codes: [unknown_request]`): a body says
 * for people what a code says for programs, and bodies are a compatible shape. A decorator: what `SharedResponses` has added is seen, too.
 */
export const ErrorCodes = () => ({
  Response: {
    enter(response) {
      const codes = response['x-houmao-error-codes'];
      if (codes === undefined) return;
      delete response['x-houmao-error-codes'];
      response.headers = {
        'X-Houmao-Error-Code': {
          'x-houmao-addition': true,
          required: true,
          description: 'What went wrong, as a word for programs.',
          schema: { type: 'string', enum: codes },
        },
        ...response.headers,
      };
    },
  },
});
