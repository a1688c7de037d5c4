import { useSession } from '../session/session.ts';
import { addressOf, useAddress } from './address.ts';
import { pluginScreensFor } from './plugin-screen.tsx';
import { type GroupName, screensFor } from './screen-list.ts';
import { ThemeChoice } from './theme-choice.tsx';

interface Entry {
  readonly name: string;
  readonly title: string;
  readonly group: GroupName;
}

/** The screens of this node that the reader may see, in their groups. */
export const Navigation = ({ onChosen }: { onChosen: () => void }) => {
  const session = useSession();
  const { texts } = session;
  const { screen: current } = useAddress();
  const entries: readonly Entry[] = [
    ...screensFor(session).map(({ name, group }) => ({ name, group, title: texts.screens[name] })),
    ...pluginScreensFor(session).map(({ name, title }) => ({ name, title, group: 'plugins' as const })),
  ];
  const groups = (Object.keys(texts.groups) as GroupName[]).filter((group) =>
    entries.some((entry) => entry.group === group),
  );
  return (
    <nav aria-label={texts.navigation} id="navigation">
      {groups.map((group) => (
        <section key={group}>
          <h2>{texts.groups[group]}</h2>
          <ul>
            {entries
              .filter((entry) => entry.group === group)
              .map(({ name, title }) => (
                <li key={name}>
                  <a href={addressOf(name)} aria-current={name === current ? 'page' : undefined} onClick={onChosen}>
                    {title}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
      <ThemeChoice />
    </nav>
  );
};
