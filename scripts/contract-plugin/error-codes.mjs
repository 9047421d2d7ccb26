import { readBeside } from './read-beside.mjs';

/** The meaning of each code, a sentence per code; null beside a bundle, which has its own already. */
const sentencesBeside = (location) => readBeside(location, 'error-codes.yaml');

/**
 * Writes the header of the error code at every response that names its codes (`x-houmao-error-codes: [unknown_request]`): a body says
 * for people what a code says for programs, and bodies are a compatible shape. What each code of the document means is written once, at
 * its components. A decorator: what `SharedResponses` has added is seen, too.
 */
export const ErrorCodes = () => {
  const used = new Set();
  return {
    Response: {
      enter(response) {
        const codes = response['x-houmao-error-codes'];
        if (codes === undefined) return;
        delete response['x-houmao-error-codes'];
        for (const code of codes) used.add(code);
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
    Root: {
      leave(document, { location }) {
        const sentences = sentencesBeside(location);
        if (sentences === null) return;
        const described = [...used].sort().map((code) => [code, sentences[code]]);
        document.components['x-houmao-error-codes'] = Object.fromEntries(described);
      },
    },
  };
};

/** Every error code has its sentence. */
export const ErrorSentences = () => {
  let sentences = null;
  return {
    Root(_document, { location }) {
      sentences = sentencesBeside(location);
    },
    Response(response, { report, location }) {
      for (const code of sentences === null ? [] : (response['x-houmao-error-codes'] ?? []))
        if (!(code in sentences))
          report({
            message: `The error code ${code} has no sentence in components/error-codes.yaml.`,
            location: location.child('x-houmao-error-codes'),
          });
    },
  };
};
