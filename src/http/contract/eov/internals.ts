import ajvOptions from 'express-openapi-validator/dist/framework/ajv/options.js';
import serdes from 'express-openapi-validator/dist/framework/base.serdes.js';
import requestValidator from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import responseValidator from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import schemaPreprocessor from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import util from 'express-openapi-validator/dist/middlewares/util.js';
import type { SurfaceRequest } from '../../server/server.js';

/** The part of ajv that compiling ahead needs. */
export interface Ajv {
  opts: {
    inlineRefs: boolean;
    verbose: boolean;
    code: { optimize: boolean | number; source?: boolean; formats?: unknown };
  };
  formats: Record<string, unknown>;
  getSchema(key: string): unknown;
  addSchema(schema: object, key: string): unknown;
}

/** An OpenAPI document as express-openapi-validator works on it. */
export interface ApiDocument {
  openapi: string;
  paths: Record<string, Record<string, ApiOperation>>;
  components?: Record<string, Record<string, unknown>>;
}
export interface ApiOperation {
  operationId: string;
  requestBody?: { required?: boolean };
  responses: Record<string, unknown>;
  /** The error codes of each status that has some; `runtimeDocument` fills them in. */
  'x-error-codes'?: Record<string, readonly string[]>;
}

/** The field of a request where the request validator finds the operation, and its error handler the parameters of the path. */
export interface Validated {
  openapi: { expressRoute: string; pathParams: object; schema: ApiOperation };
}

/** Checks a request and fills defaults in; throws its own errors. It reads nothing from the response. */
export type CheckRequest = (request: SurfaceRequest & Validated, response: null, next: () => void) => void;
export type CheckBody = (data: { response: unknown }) => boolean;
/** The checks by status and media type; a status without content has none. */
export type ResponseChecks = Record<string, Record<string, CheckBody | undefined> | undefined>;

/** The settings for one of the library's instances of ajv. */
type AjvSettings = object;

/**
 * The parts inside express-openapi-validator that work for one operation at a time. Its middlewares scan all paths on every
 * request and wait for a promise at each of seven steps, although the dispatch already knows the operation.
 */
export interface Internals {
  AjvOptions: new (
    options: object,
  ) => { preprocessor: AjvSettings; request: AjvSettings; response: AjvSettings };
  defaultSerDes: object[];
  SchemaPreprocessor: new (document: ApiDocument, settings: AjvSettings, responses: object) => Preprocessor;
  RequestValidator: new (
    document: ApiDocument,
    settings: AjvSettings,
  ) => {
    ajv: Ajv;
    ajvBody: Ajv;
    apiDoc: ApiDocument;
    buildMiddleware(route: string, operation: ApiOperation, type: unknown, key: string): CheckRequest;
  };
  ResponseValidator: new (
    document: ApiDocument,
    settings: AjvSettings,
    options: object,
  ) => {
    ajvBody: Ajv;
    spec: ApiDocument;
    buildValidators(responses: object, key: string): ResponseChecks;
    _validate(answer: {
      validators: ResponseChecks;
      body: unknown;
      statusCode: number;
      path: string;
      accepts: string[];
    }): void;
  };
  util: { ContentType: { fromString(type: string): unknown } };
}
export interface Preprocessor {
  apiDoc: ApiDocument;
  preProcess(): { apiDoc: ApiDocument; apiDocRes: ApiDocument };
}

export const internals: Internals = {
  ...(ajvOptions as unknown as Pick<Internals, 'AjvOptions'>),
  ...(serdes as unknown as Pick<Internals, 'defaultSerDes'>),
  ...(schemaPreprocessor as unknown as Pick<Internals, 'SchemaPreprocessor'>),
  ...(requestValidator as unknown as Pick<Internals, 'RequestValidator'>),
  ...(responseValidator as unknown as Pick<Internals, 'ResponseValidator'>),
  util: util as unknown as Internals['util'],
};
