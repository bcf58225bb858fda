// Words of what the desktop does: closing, notices, files, links.

/** Words of the hosts. */
export const hostWords = {
  noLink: 'The log knows no address of that post there.',
}

/** Words of the desktop's part of Settings, and of links. */
export const desktopWords = {
  title: 'Desktop',
  browser: 'These hold for the Reprise window. In this browser, messages come in as long as the program behind it runs.',
  keep: 'Closing the window',
  keeps: { on: 'Keeps receiving', off: 'Ends Reprise' },
  keepSays: 'Messages still come in while it is closed; the tray shows it, and Quit ends it. In the sandbox, closing ends Reprise.',
  notices: 'Desktop notices',
  noticesSay: 'For a second live post, a post with an unknown outcome, wrong signatures that repeat, and the same messages again and again.',
  on: 'On',
  off: 'Off',
  links: 'Live at',
  open: (platform: string) => `Open on ${platform}`,
  noCase: 'No case is open. Ask Why twice? first, then save it.',
}
