import type { LaterWord, Schemas } from '@houmao/sdk';
import { expectTypeOf, test } from 'vitest';

type Origin = Schemas['TurnRecord']['origin'];

test('a word of an answer is one of those that are known, or of a later version', () => {
  expectTypeOf<Origin>().toEqualTypeOf<'queue' | 'direct' | 'reminder' | 'notifier' | LaterWord>();
  expectTypeOf<Schemas['RequestState']>().not.toExtend<LaterWord>();
  expectTypeOf<Origin>().toExtend<string>();
});

test('a switch over such words needs its default, and a word that there is not does not compile', () => {
  // @ts-expect-error: for a word of a later version there is no answer.
  const shown = (origin: Origin): string => {
    switch (origin) {
      case 'queue':
      case 'direct':
      case 'reminder':
      case 'notifier':
        return origin;
    }
  };
  // @ts-expect-error: there is no such word.
  const isTyped = (origin: Origin): boolean => origin === 'quue';
  void [shown, isTyped];
});

test('what callers send is one of the known words', () => {
  // @ts-expect-error: a word of an answer may be unknown to the gateway.
  const again: Schemas['ReminderDefinition']['mode'] = '' as Schemas['Reminder']['mode'];
  void again;
});
