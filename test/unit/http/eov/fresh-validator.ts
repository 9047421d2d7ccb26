import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { onTestFinished } from 'vitest';
import type { Internals } from '../../../../src/http/eov/internals.js';
import type { AjvParts } from '../../../../src/http/validator-recorder.js';

const base = createRequire(import.meta.url);
const patched = /node_modules\/(?:express-openapi-validator|ajv[^/]*|path-to-regexp)\//;

// biome-ignore lint/suspicious/noExplicitAny: takes and gives more than a test looks at.
type PathToRegexp = (...given: any[]) => { regexp: RegExp };

export interface FreshValidator {
  internals: Internals & { patterns: { pathToRegexp: PathToRegexp } };
  /** The library with which it searches a document for references to files. */
  referenceParser: { bundle(document: object): Promise<object> };
  /** What a recorder of its validators needs. */
  ajv: AjvParts;
  /** The validator's middleware for a document, with the settings of the contract walls. */
  middleware(document: object): RequestHandler[];
  /** How many schemas ajv has compiled so far. @param id counts only those whose `$id` begins so. */
  compilations(id?: string): number;
}

/** The validator as it comes from its package, without any workaround; what a test applies next sees this copy. */
export function freshValidator(): FreshValidator {
  for (const path of Object.keys(base.cache)) if (patched.test(path)) delete base.cache[path];
  const entry = base.resolve('express-openapi-validator');
  const within = createRequire(entry);
  const compiled: string[] = [];
  const { prototype } = within('ajv/dist/core').default;
  const compile = prototype._compileSchemaEnv;
  prototype._compileSchemaEnv = function compileSchemaEnv(environment: {
    validate?: unknown;
    schema: { $id?: string };
  }) {
    if (!environment.validate) compiled.push(environment.schema.$id ?? '');
    return compile.call(this, environment);
  };
  return {
    referenceParser: within('@apidevtools/json-schema-ref-parser'),
    internals: {
      framework: within('./framework'),
      util: within('./middlewares/util'),
      schemaPreprocessor: within('./middlewares/parsers/schema.preprocessor'),
      documentValidator: within('./framework/openapi.schema.validator'),
      patterns: within('path-to-regexp'),
    },
    ajv: { _: within('ajv')._, standaloneCode: within('ajv/dist/standalone').default },
    middleware: (document) =>
      within(entry).middleware({
        apiSpec: structuredClone(document),
        validateApiSpec: false,
        validateRequests: { allErrors: true, discriminator: true },
        validateResponses: true,
        validateSecurity: false,
        fileUploader: false,
        ajvFormats: { mode: 'full' },
      }),
    compilations: (id = '') => compiled.filter((one) => one.startsWith(id)).length,
  };
}

export interface Seen {
  status: number;
  /** The error that the walls passed on; null when the request went through. */
  // biome-ignore lint/suspicious/noExplicitAny: errors of every shape.
  error: any;
}

/** Serves the walls for the test that runs, and answers 200 behind them. */
export async function serveWalls(
  walls: RequestHandler[],
): Promise<(method: string, path: string, body?: string, type?: string) => Promise<Seen>> {
  const app = express();
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  let error: unknown = null;
  app.use(express.json({ strict: false }), ...walls);
  app.use((_request, response) => void response.json({ ok: true }));
  const caught: ErrorRequestHandler = (fault, _request, response, _next) => {
    error = fault;
    response.status(fault.status ?? 500).end();
  };
  app.use(caught);
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (method, path, body, type = 'application/json') => {
    error = null;
    const headers = body === undefined ? {} : { 'content-type': type };
    const answer = await fetch(url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    await answer.arrayBuffer();
    return { status: answer.status, error };
  };
}

const fine = {
  '200': {
    description: 'Fine.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Answer' } } },
  },
};
const thing = {
  required: true,
  content: {
    'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/Thing' }], required: [] } },
  },
};

/** A small contract: two operations that are alike, one with a number in its query. */
export const smallContract = {
  openapi: '3.1.0',
  info: { title: 'Small', version: '1' },
  paths: {
    '/a': { post: { operationId: 'a', requestBody: thing, responses: fine } },
    '/b': { post: { operationId: 'b', requestBody: thing, responses: fine } },
    '/list': {
      get: {
        operationId: 'list',
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 10 } }],
        responses: fine,
      },
    },
  },
  components: {
    schemas: {
      Answer: { type: 'object', additionalProperties: false, properties: { ok: { type: 'boolean' } } },
      Name: { type: 'string', minLength: 1 },
      Thing: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: { $ref: '#/components/schemas/Name' }, size: { type: 'integer' } },
        if: { not: { required: ['size'] } },
        else: { properties: { name: { maxLength: 3 } } },
        'x-rule': 'sized things have short names',
      },
    },
  },
};
