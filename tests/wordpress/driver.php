<?php
/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the tests: a must-use plugin that runs, as the administrator, the code that a request
 * with the header X-Test-Run brings, and answers with its value as JSON.  The site's own
 * plugin works at the end of that request as at the end of any other.
 */
add_filter('pre_wp_mail', '__return_true');
add_filter('pre_http_request', function () {
	return new WP_Error('offline', 'this site is alone in the world');
});
add_filter('wp_is_comment_flood', '__return_false', 99);
add_filter('comment_flood_filter', '__return_false', 99);

/* A page that takes its time: with ?slow, after its post was read, it says that it is being
   rendered and goes on when it is told to. */
add_action('wp_head', function () {
	if (isset($_GET['slow'])) {
		touch(WP_CONTENT_DIR . '/uploads/rendering');
		for ($i = 0; $i < 3000 && !file_exists(WP_CONTENT_DIR . '/uploads/go-on'); $i++) {
			usleep(10000);
		}
	}
});

if (isset($_SERVER['HTTP_X_TEST_RUN'])) {
	add_action('wp_loaded', function () {
		wp_set_current_user(1);
		require_once ABSPATH . 'wp-admin/includes/admin.php';
		$answer = eval(file_get_contents('php://input'));
		header('Content-Type: application/json');
		echo json_encode($answer);
		exit;
	}, 100);
}
