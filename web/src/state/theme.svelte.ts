// Light or dark: as the system has it, until somebody chooses.

const asked = matchMedia('(prefers-color-scheme: dark)');

class Theme {
  isDark = $state(asked.matches);

  constructor() {
    asked.addEventListener('change', ({ matches }) => {
      if (document.documentElement.dataset.theme === undefined) this.isDark = matches;
    });
  }

  toggle(): void {
    this.isDark = !this.isDark;
    document.documentElement.dataset.theme = this.isDark ? 'dark' : 'light';
  }
}

export const theme = new Theme();
