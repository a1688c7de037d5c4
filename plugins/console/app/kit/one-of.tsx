import type { ComponentChildren } from 'preact';
import { addressOf } from '../shell/address.ts';
import type { ScreenName } from '../shell/screen-list.ts';
import { Answer } from './state.tsx';
import type { Asked } from './use-asked.ts';
import { useTexts } from './use-texts.ts';

interface OneProps<T> {
  /** The screen that lists them all. */
  readonly screen: ScreenName;
  readonly asked: Asked<T>;
  /** Draws the one, with a heading of its own. */
  readonly children: (data: T) => ComponentChildren;
}

/** One of a list, with the way back. Until it is there, or where there is none, the heading is that of the list. */
export const OneOf = <T,>({ screen, asked, children }: OneProps<T>) => {
  const { screens } = useTexts();
  return (
    <>
      <p>
        <a href={addressOf(screen)}>← {screens[screen]}</a>
      </p>
      {asked.data === undefined && <h1>{screens[screen]}</h1>}
      <Answer asked={asked}>{children}</Answer>
    </>
  );
};
