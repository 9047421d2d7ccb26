// The types of a bundled contract for those who call it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import ts from 'typescript';
import { rulesAcrossFields } from './across-fields.mjs';

const place = /^#\/components\/schemas\/([^/]+)$/;

/**
 * For callers a property with a default is optional; for handlers the validator has filled it in. Two whole files for these few
 * lines: a type cannot tell a property that is optional because of its default from any other, and shapes derived from one
 * another (`Omit`, mapped types) would show neither names nor comments to who writes a request. Besides, what callers send has to
 * fit the rules that go across fields.
 *
 * @returns the TypeScript file of the bundle at that path.
 */
export async function clientTypes(bundle) {
  const rules = rulesAcrossFields(JSON.parse(readFileSync(bundle, 'utf8')));
  const ast = await openapiTS(pathToFileURL(bundle), {
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
    silent: true,
    postTransform: (type, { path }) => {
      const own = rules.get(place.exec(path ?? '')?.[1]);
      return own && ts.factory.createIntersectionTypeNode([type, ...own]);
    },
  });
  return `${COMMENT_HEADER}${astToString(ast).replace(mediaTypeComments, '')}`;
}

/** The comments at a media type: examples, which no editor shows, and which are a sixth of the file. */
const mediaTypeComments = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*(?="[a-z]+\/[a-z-]+":)/g;
