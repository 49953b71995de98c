//! Processor times, and the middle of samples.

use super::support::redis::RedisServer;

/// The processor time that a process has used, in microseconds.
pub fn process_cpu(process: &str) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("a running process");
    // The process name may hold spaces. After it, user and system time are the 12th and 13th field.
    let numbers = stat
        .rsplit(") ")
        .next()
        .expect("numbers")
        .split(' ')
        .skip(11)
        .take(2);
    let ticks: u64 = numbers
        .map(|number| number.parse::<u64>().expect("a number"))
        .sum();
    // Linux reports hundredths of a second to programs.
    ticks as f64 * 10_000.0
}

/// The processor time that Redis has used, in microseconds.
pub fn redis_cpu(redis: &RedisServer) -> f64 {
    let info: String = redis::from_redis_value(redis.command(&["INFO", "cpu"])).expect("text");
    let used = |name: &str| -> f64 {
        let value = info
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .expect("a line");
        value.trim().parse().expect("a number")
    };
    (used("used_cpu_sys:") + used("used_cpu_user:")) * 1e6
}

/// In milliseconds.
pub fn quantile(sorted: &[u32], part: f64) -> f64 {
    let at = (sorted.len() as f64 * part) as usize;
    sorted
        .get(at.min(sorted.len().saturating_sub(1)))
        .map_or(f64::NAN, |&us| f64::from(us) / 1000.0)
}

pub fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
