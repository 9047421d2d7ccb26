import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { onTestFinished } from 'vitest';
import { ContractChecks } from '../../../../../src/http/contract/contract-checks.js';
import type { ApiDocument, Internals, Preprocessor } from '../../../../../src/http/contract/eov/internals.js';
import type { ValidatorStore } from '../../../../../src/http/contract/eov/share-validators.js';
import {
  ajvSettings,
  compilesAll,
  prepareContract,
  responseSettings,
} from '../../../../../src/http/contract/prepared-contract.js';
import type { AjvParts } from '../../../../../src/http/contract/validator-recorder.js';

const base = createRequire(import.meta.url);
const patched = /node_modules\/(?:express-openapi-validator|ajv[^/]*|path-to-regexp)\//;

export interface FreshValidator {
  internals: Internals;
  /** The parts that a recorder of its validators needs. */
  ajv: AjvParts;
  /** The validator's own middleware for a document, with the settings of our checks. */
  middleware(document: object): RequestHandler[];
  /** Our checks of a document by this copy, as a middleware. */
  checks(document: object, store?: ValidatorStore): RequestHandler[];
  /** The preprocessor of a document, as it comes from the package. */
  preprocessor(document: object): Preprocessor;
  /** How many schemas ajv has compiled so far. */
  compilations(): number;
}

/** The validator as it comes from its package, without any workaround; what a test applies next sees this copy. */
export function freshValidator(): FreshValidator {
  for (const path of Object.keys(base.cache)) if (patched.test(path)) delete base.cache[path];
  const entry = base.resolve('express-openapi-validator');
  const within = createRequire(entry);
  let compiled = 0;
  const { prototype } = within('ajv/dist/core').default;
  const compile = prototype._compileSchemaEnv;
  prototype._compileSchemaEnv = function compileSchemaEnv(environment: { validate?: unknown }) {
    if (!environment.validate) compiled += 1;
    return compile.call(this, environment);
  };
  const internals: Internals = {
    ...within('./framework/ajv/options'),
    defaultSerDes: within('./framework/base.serdes').defaultSerDes,
    ...within('./middlewares/parsers/schema.preprocessor'),
    ...within('./middlewares/openapi.request.validator'),
    ...within('./middlewares/openapi.response.validator'),
    util: within('./middlewares/util'),
  };
  return {
    internals,
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
    checks: (document, store = compilesAll) => {
      const contract = prepareContract(JSON.stringify(document), internals);
      const checks = new ContractChecks(contract, { kind: 'throw' }, store, internals);
      const check: RequestHandler = (request, _response, next) => {
        request.params = {};
        checks.operation(request.method, request.path).request(request);
        next();
      };
      return [check];
    },
    preprocessor: (document) => {
      const { SchemaPreprocessor } = internals;
      const settings = ajvSettings(internals).preprocessor;
      return new SchemaPreprocessor(structuredClone(document) as ApiDocument, settings, responseSettings);
    },
    compilations: () => compiled,
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
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Answer' }, example: { ok: true } },
    },
  },
};
const thing = {
  required: true,
  content: {
    'application/json': {
      schema: { allOf: [{ $ref: '#/components/schemas/Thing' }], required: [] },
      example: { name: 'bear' },
    },
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
