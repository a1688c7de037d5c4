import { useLayoutEffect, useState } from 'preact/hooks';
import { useShortcuts } from '../../kit/use-shortcuts.ts';
import { useSession } from '../../session/session.ts';
import { KeysDialog } from '../keys-dialog.tsx';
import { SearchDialog } from './search-dialog.tsx';

/** Opens the search by a button, `Ctrl+K` or `/`, and the list of the keys by `?`. */
export const SearchButton = () => {
  const { search: texts } = useSession().texts;
  const [opened, open] = useState<'search' | 'keys'>();
  useShortcuts((key) => {
    if (key === '/') open('search');
    else if (key === '?') open('keys');
    else return false;
    return true;
  });
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || !/^k$/i.test(event.key)) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) open('search');
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  // A dialog may tell of its end when the next one is open already.
  const close = (ended: 'search' | 'keys') => (): void => open((now) => (now === ended ? undefined : now));
  return (
    <>
      <button
        type="button"
        class="search-open"
        aria-keyshortcuts="Control+K"
        title="Ctrl+K"
        onClick={() => open('search')}
      >
        <span aria-hidden="true">⌕</span>
        <span class="search-hint">{texts.title}</span>
      </button>
      {opened === 'search' && <SearchDialog onClose={close('search')} showKeys={() => open('keys')} />}
      {opened === 'keys' && <KeysDialog onClose={close('keys')} />}
    </>
  );
};
