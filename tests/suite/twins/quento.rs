//! Quento as the statement tells it, without any haste.

/// The task: N, M and the lines of the board.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) target: i64,
    pub(crate) digits: usize,
    pub(crate) board: Vec<Vec<char>>,
}

/// Row and column.
pub(crate) type Square = (usize, usize);

impl Task {
    /// The smallest solution.
    pub(crate) fn first(&self) -> Option<Vec<Square>> {
        let mut answer = None;
        self.search(&mut |path| {
            answer = Some(path.to_vec());
            false
        });
        answer
    }

    /// All solutions, the smallest first.
    pub(crate) fn all(&self) -> Vec<Vec<Square>> {
        let mut answers = Vec::new();
        self.search(&mut |path| {
            answers.push(path.to_vec());
            true
        });
        answers
    }

    /// Shows every solution as long as `see` wants more.
    fn search(&self, see: &mut dyn FnMut(&[Square]) -> bool) {
        let mut used = vec![vec![false; self.board[0].len()]; self.board.len()];
        for row in 0..self.board.len() {
            for col in 0..self.board[0].len() {
                if (row + col) % 2 == 0 && !self.walk(row, col, 0, &mut Vec::new(), &mut used, see) {
                    return;
                }
            }
        }
    }

    /// Goes to a square; `value` is that of the expression before it.
    fn walk(
        &self,
        row: usize,
        col: usize,
        value: i64,
        path: &mut Vec<Square>,
        used: &mut Vec<Vec<bool>>,
        see: &mut dyn FnMut(&[Square]) -> bool,
    ) -> bool {
        let here = self.board[row][col];
        let value = match (here.to_digit(10), path.last()) {
            (None, _) => value,
            (Some(digit), Some(&(r, c))) if self.board[r][c] == '-' => value - i64::from(digit),
            (Some(digit), _) => value + i64::from(digit),
        };
        path.push((row, col));
        used[row][col] = true;
        let mut more = true;
        if path.len() == 2 * self.digits - 1 {
            if value == self.target {
                more = see(path);
            }
        } else {
            for (down, right) in [(-1, 0), (0, -1), (0, 1), (1, 0)] {
                let (Some(r), Some(c)) = (row.checked_add_signed(down), col.checked_add_signed(right)) else {
                    continue;
                };
                if more && r < self.board.len() && c < self.board[0].len() && !used[r][c] {
                    more = self.walk(r, c, value, path, used, see);
                }
            }
        }
        path.pop();
        used[row][col] = false;
        more
    }
}
