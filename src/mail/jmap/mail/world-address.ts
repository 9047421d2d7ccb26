import { operator } from '../../message/operator-message.js';

/**
 * What a header of the world calls an address and what can be one: servers take the quotes off, so that a blank or a colon in
 * one could make a line that shows it look like another's.
 */
const pattern =
  /^[^\s\p{C}@<>(),;:"\\]{1,320}@(?:[^\s\p{C}@<>(),;:"\\]{1,255}|\[[^\s\p{C}@<>(),;"\\[\]]{1,253}\])$/u;

/**
 * Pure: whether a header may be shown as naming that address. The operator has none in the world (docs/decisions.md#mail-servers),
 * so whoever writes that one there is not the operator.
 */
export const isWorldAddress = (text: string): boolean =>
  pattern.test(text) && text.toLowerCase() !== operator.address.toLowerCase();
