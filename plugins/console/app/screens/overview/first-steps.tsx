import { CopyButton } from '../../kit/copy-button.tsx';
import { useSession } from '../../session/session.ts';

const STEPS = ['demo', 'connect', 'import'] as const;

/** Commands that bring the first facts to an empty node. */
export const FirstSteps = () => {
  const { overview: own, facts } = useSession().texts;
  return (
    <section class="first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">{facts.nothing}</h2>
      <p class="lead">{facts.nothingHintElsewhere}</p>
      <div class="cards overview-cards">
        {STEPS.map((step) => {
          const { title, text, command } = own.firstSteps[step];
          return (
            <section key={step} class="card overview-card" aria-label={title}>
              <h3>{title}</h3>
              <p>{text}</p>
              <p class="bar">
                <code class="shown">{command}</code>
                <CopyButton text={command} />
              </p>
            </section>
          );
        })}
      </div>
    </section>
  );
};
