import { useEffect } from 'preact/hooks';
import { useSession } from '../../session/session.ts';

/** The terms of art of the console, each with its meaning and the page that says more. */
export const Terms = () => {
  const { terms: own, screens, recall } = useSession().texts;
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  const terms: readonly (readonly [name: string, title: string, means: string])[] = [
    ...Object.entries(recall.partMeans).map(
      ([name, means]) => [name, recall.parts[name as keyof typeof recall.parts], means] as const,
    ),
    ['together', recall.together, recall.togetherMeans],
    ['lambda', recall.names.lambda, recall.lambdaMeans],
  ];
  return (
    <>
      <h1>{screens.terms}</h1>
      <p class="lead">{own.lead}</p>
      <dl class="terms">
        {terms.map(([name, title, means]) => (
          <div key={name} id={name}>
            <dt>{title}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">{own.page}</p>
    </>
  );
};
