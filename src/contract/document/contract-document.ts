// The part of an OpenAPI document that the page reads. It is the bundle of the contract, with the
// server's additions for the page.

export interface Referring {
  readonly $ref: string;
}
export interface Header {
  readonly schema?: { readonly enum?: readonly string[] };
}
export interface ContractResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
  readonly links?: Readonly<Record<string, { readonly operationId: string; readonly description?: string }>>;
}
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: string | number;
  readonly schema?: ContractSchema | Referring;
}
export interface Media {
  readonly schema?: ContractSchema | Referring;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
export interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | Referring)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ContractResponse | Referring>>;
  /** The sentence with which the operation would be refused now. */
  readonly 'x-houmao-unavailable'?: string;
}
export interface ContractSchema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ContractSchema | Referring>>;
  readonly oneOf?: readonly (ContractSchema | Referring)[];
  readonly anyOf?: readonly (ContractSchema | Referring)[];
  readonly allOf?: readonly (ContractSchema | Referring)[];
  readonly items?: ContractSchema | Referring;
  readonly discriminator?: { readonly mapping?: Readonly<Record<string, string>> };
}
/** The client of a surface in the SDK. */
export interface SdkClient {
  readonly module: string;
  /** The function that makes a client. */
  readonly create: string;
}
export interface Tag {
  readonly name: string;
  readonly description?: string;
}
export interface ContractDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary?: string;
    readonly description?: string;
    /** Missing where a surface has no client in the SDK. */
    readonly 'x-houmao-sdk'?: SdkClient;
    /** Names of the Arazzo workflows over the surface, in openapi/workflows/. */
    readonly 'x-houmao-workflows'?: readonly string[];
  };
  readonly tags?: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An operation with its method and path. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export const methods = ['get', 'put', 'post', 'delete'] as const;

/** Returns every operation, in the order of the document. */
export const operationsOf = (document: ContractDocument): PlacedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      (methods as readonly string[]).includes(method) ? [{ method, path, operation }] : [],
    ),
  );

/** Returns the operations of each tag, in the order of the tags. */
export function byTag(
  document: ContractDocument,
): (Tag & { readonly operations: readonly PlacedOperation[] })[] {
  const all = operationsOf(document);
  return (document.tags ?? []).map((tag) => ({
    ...tag,
    operations: all.filter(({ operation }) => operation.tags?.includes(tag.name)),
  }));
}

/** Follows a reference. @throws Error when its target is not in the document. */
export function resolved<Part extends object>(document: ContractDocument, part: Part | Referring): Part {
  if (!('$ref' in part)) return part;
  const [section = '', name = ''] = part.$ref.split('/').slice(-2);
  const found = document.components?.[section]?.[name];
  if (!found) throw new Error(`The contract has no ${part.$ref}.`);
  return resolved(document, found as Part | Referring);
}

/** Returns the fragment of an address that opens an operation on the page. */
export const anchorOf = ({ tags = [], operationId }: Operation): string => `#/${tags[0]}/${operationId}`;

/** Returns where a surface serves a workflow, which is also its place in the package. */
export const workflowPath = (name: string): string => `/openapi/workflows/${name}.yaml`;
