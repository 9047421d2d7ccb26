export type TestKind = 'pure' | 'parts' | 'apart' | 'e2e' | 'mail';
export interface Reached {
  files: Set<string>;
  modules: Set<string>;
  texts: readonly string[];
}
export function testKinds(root: string): Record<TestKind, string[]>;
export function kindOf(folder: string, reached: Reached): TestKind;
export function importsIn(text: string): string[];
