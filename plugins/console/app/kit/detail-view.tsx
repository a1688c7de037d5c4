import type { ComponentChildren } from 'preact';
import type { ScreenName } from '../shell/screen-list.ts';
import { BackLink } from './back-link.tsx';
import { Answer } from './state.tsx';
import type { RequestState } from './use-request.ts';
import { useTexts } from './use-texts.ts';

interface DetailProps<T> {
  /** The screen with the whole list, to which the view links back. */
  readonly screen: ScreenName;
  readonly asked: RequestState<T>;
  /** Renders the item, with a heading of its own. */
  readonly children: (data: T) => ComponentChildren;
}

/**
 * Shows one item of a list, with a link back to the list. Until the item is loaded, or if it does not exist, the
 * heading is that of the list.
 */
export const DetailView = <T,>({ screen, asked, children }: DetailProps<T>) => {
  const { screens } = useTexts();
  return (
    <>
      <BackLink screen={screen} />
      {asked.data === undefined && <h1>{screens[screen]}</h1>}
      <Answer asked={asked}>{children}</Answer>
    </>
  );
};
