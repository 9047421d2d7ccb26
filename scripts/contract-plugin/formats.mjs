import { readBeside } from './read-beside.mjs';

/**
 * Writes the pattern beside every format of our own, as `components/formats.yaml` has it, for tools that do not know the
 * format. A schema with another pattern than `\S` keeps its own.
 */
export const Formats = () => {
  let formats = {};
  return {
    Root: {
      enter(_document, { location }) {
        formats = readBeside(location, 'formats.yaml') ?? {};
      },
    },
    Schema: {
      enter(schema) {
        const format = formats[schema.format];
        if (format && (schema.pattern === undefined || schema.pattern === '\\S'))
          schema.pattern = schema.pattern ? format.notBlank : format.pattern;
      },
    },
  };
};
