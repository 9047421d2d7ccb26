import {
  type ContractDocument,
  type Referring,
  resolved,
  type Schema,
} from '../contract/contract-document.js';

/** A field in the data of an event. */
export interface EventField {
  readonly name: string;
  readonly description: string;
}
/** A kind of event. */
export interface EventEntry {
  readonly kind: string;
  /** What happened, as a sentence of the contract. */
  readonly sentence: string;
  readonly data: readonly EventField[];
}

/** Every kind of event, in the order of the contract; none where a surface has no events. */
export function eventCatalogue(document: ContractDocument): EventEntry[] {
  const event = document.components?.schemas?.GatewayEvent as Schema | undefined;
  return Object.entries(event?.discriminator?.mapping ?? {}).map(([kind, $ref]) => {
    const schema = resolved<Schema>(document, { $ref });
    const data = schema.properties?.data;
    return {
      kind,
      sentence: oneLine(schema.description),
      data: data === undefined ? [] : fieldsOf(document, data),
    };
  });
}

const fieldsOf = (document: ContractDocument, data: Schema | Referring): EventField[] =>
  Object.entries(resolved(document, data).properties ?? {}).map(([name, field]) => ({
    name,
    description: oneLine(resolved(document, field).description),
  }));

const oneLine = (text = ''): string => text.trim().replaceAll(/\s+/g, ' ');
