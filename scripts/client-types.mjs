// The types of a bundled contract for those who call it.
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import ts from 'typescript';
import { rulesAcrossFields } from './across-fields.mjs';
import { importTypeScript } from './tools/import-typescript.mjs';

const place = /^#\/components\/schemas\/([^/]+)$/;

/**
 * For callers a property with a default is optional; for handlers the validator has filled it in. Two whole files for these few
 * lines: a type cannot tell a property that is optional because of its default from any other, and shapes derived from one
 * another (`Omit`, mapped types) would show neither names nor comments to who writes a request. Besides, what callers send has to
 * fit the rules that go across fields, and the words of answers are open.
 *
 * @returns the TypeScript file of a bundle.
 */
export async function clientTypes(bundle) {
  const { openWords } = await importTypeScript('src/contract/document/open-words.ts');
  const rules = rulesAcrossFields(bundle);
  const ast = await openapiTS(openWords(bundle), {
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
    silent: true,
    postTransform: (type, { path }) => {
      const own = rules.get(place.exec(path ?? '')?.[1]);
      return own ? ts.factory.createIntersectionTypeNode([type, ...own]) : openType(type);
    },
  });
  return `${COMMENT_HEADER}${laterWord}${astToString(ast).replace(mediaTypeComments, '')}`;
}

/**
 * The type of an open enum: of `'a' | string` TypeScript would keep the text alone, and editors would not offer the words.
 * @returns undefined for any other type
 */
function openType(type) {
  const variants = variantsOf(type);
  const isText = ({ kind }) => kind === ts.SyntaxKind.StringKeyword;
  if (!variants.some(isText) || !variants.some(isWord)) return undefined;
  const later = ts.factory.createTypeReferenceNode('LaterWord');
  return ts.factory.createUnionTypeNode(variants.map((one) => (isText(one) ? later : one)));
}

/** openapi-typescript writes a word as an identifier with its quotes. */
const isWord = (type) => ts.isIdentifier(type) && type.text.startsWith('"');

function variantsOf(type) {
  if (ts.isParenthesizedTypeNode(type)) return variantsOf(type.type);
  return ts.isUnionTypeNode(type) ? type.types.flatMap(variantsOf) : [type];
}

/** No text with a brand: type functions of openapi-fetch take that for an object, and it can be compared with every word. */
const laterWord = `/**
 * Any word of a later version, which this one does not know. A word itself does not end like this: the type does, so that a comparison
 * with a word that there is not does not compile.
 */
export type LaterWord = \`\${string} of a later version\`;
`;

/** The comments at a media type: examples, which no editor shows, and which are a sixth of the file. */
const mediaTypeComments = /\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*(?="[a-z]+\/[a-z-]+":)/g;
