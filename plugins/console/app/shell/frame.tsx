import { useErrorBoundary, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../kit/button.tsx';
import { Problem } from '../kit/problem.tsx';
import { useSession } from '../session/session.ts';
import { fill } from '../texts/texts.ts';
import { addressOf, useAddress } from './address.ts';
import { Navigation } from './navigation.tsx';
import { ContributedScreen, pluginScreensFor } from './plugin-screen.tsx';
import { screensFor } from './screen-list.ts';
import { SearchButton } from './search/search-button.tsx';

/** The frame of every screen: the reader, the navigation, and the screen itself. */
export const Frame = () => {
  const { texts, setup, reader, hasKey, signOut } = useSession();
  const { screen } = useAddress();
  const [isOpen, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const menu = useRef<HTMLButtonElement>(null);
  const isFirst = useRef(true);
  useLayoutEffect(() => {
    document.title = `${titleOf(screen, texts.screens)} · ${setup.display_name}`;
    // Another screen gets the focus, so that the reader continues at its start without a mouse.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [screen]);
  useLayoutEffect(() => {
    if (!isOpen) return;
    const close = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      setOpen(false);
      menu.current?.focus();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [isOpen]);
  return (
    <div class="frame" data-open={isOpen}>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="top">
        <button
          type="button"
          class="quiet menu"
          ref={menu}
          aria-expanded={isOpen}
          aria-controls="navigation"
          aria-label={texts.navigation}
          onClick={() => setOpen(!isOpen)}
        >
          ☰
        </button>
        <a class="brand" href={addressOf('overview')}>
          {setup.display_name}
        </a>
        <SearchButton />
        <span class="who" title={fill(texts.signIn.who, { entity: reader.entity_uri })}>
          <bdi>{reader.entity_uri}</bdi>
        </span>
        <Button
          text={hasKey ? texts.signIn.out : texts.signIn.withKey}
          class="quiet"
          title={fill(texts.signIn.who, { entity: reader.entity_uri })}
          onClick={signOut}
        />
      </header>
      <Navigation onChosen={() => setOpen(false)} />
      <main id="content" tabIndex={-1} ref={main}>
        <Screen key={screen} name={screen} />
      </main>
    </div>
  );
};

const Screen = ({ name }: { name: string }) => {
  const session = useSession();
  const [error, forget] = useErrorBoundary();
  const own = screensFor(session).find((each) => each.name === name);
  const contributed = pluginScreensFor(session).find((each) => each.name === name);
  if (error !== undefined) return <Problem error={error} retry={forget} />;
  if (contributed !== undefined) return <ContributedScreen screen={contributed} />;
  return own === undefined ? <Missing /> : <own.view />;
};

const Missing = () => {
  const { notFound } = useSession().texts;
  return (
    <>
      <h1>{notFound.title}</h1>
      <p>{notFound.text}</p>
      <a href={addressOf('overview')}>{notFound.link}</a>
    </>
  );
};

const titleOf = (name: string, titles: Readonly<Record<string, string>>): string => titles[name] ?? name;
